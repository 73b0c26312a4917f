/** Decisions about signals for tests of a store, complete and valid; each field can be changed. */
import type { SignalDecisionRecord } from '../../ports/decisions.ts'
import type { InboxInsert } from '../../ports/run-store.ts'
import { START_MS } from './store-case.ts'

type Changes = Partial<Omit<SignalDecisionRecord, 'audit'>> & {
  readonly audit?: Partial<SignalDecisionRecord['audit']>
}

/** The decision of that number about the signal `s<number>` to the run `r1`. */
export function decision(number: number, { audit, ...changes }: Changes = {}): SignalDecisionRecord {
  return {
    signalDecisionId: `decision-${number}`,
    signalId: `s${number}`,
    runId: 'r1',
    decision: 'ACCEPTED',
    policyDecisionId: `policy-${number}`,
    audit: { actorId: 'ana', actorRole: 'Operator', tenantId: 'tenant-a', timestamp: START_MS + number, ...audit },
    signalType: 'PAUSE',
    signalPayload: '{"reason":"ü"}',
    ...changes,
  }
}

export function inboxRowOf({ signalId, signalPayload }: SignalDecisionRecord): InboxInsert {
  return { inboxId: `signal:${signalId}`, kind: 'signal', body: signalPayload }
}
