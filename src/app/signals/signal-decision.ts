/**
 * What was decided on the signals of a run, read from its log (SIG-04, AUT-01). A decision is found by the id of its signal or by
 * the id that the authorisation gave it.
 */
import type { LogRecord } from '../../core/events/event.ts'
import { fail } from '../../core/problems/problem.ts'
import type { RunRow, RunStore } from '../../ports/run-store.ts'
import { decisionIdOf } from './decision-record.ts'

export interface SignalDecision {
  readonly signalDecisionId: string
  readonly signalId: string
  readonly signalType: string
  readonly decision: 'ACCEPTED' | 'REJECTED'
  /** Of an accepted signal: false when the run already was as it asks for. */
  readonly applied?: boolean
  /** Of a rejected signal: the code and the reason of the refusal. */
  readonly reasonCode?: string
  readonly reason?: string
  readonly policyDecisionId: string
  readonly audit: {
    readonly actorId?: string
    readonly actorRole?: string
    readonly tenantId: string
    readonly timestamp: string
    /** The reason that its sender gave. */
    readonly reason?: string
  }
  /** Absent once the data of the run was erased. */
  readonly signalPayload?: Readonly<Record<string, unknown>>
  /** Of the event that records it. */
  readonly runSeq: number
}

/** In the order in which they were decided. */
export function signalDecisions(records: readonly LogRecord[]): readonly SignalDecision[] {
  return records.filter(isDecision).map(decisionOf)
}

export async function signalDecision(
  store: Pick<RunStore, 'findInbox'>,
  { runId, runKey }: RunRow,
  records: readonly LogRecord[],
  id: string,
): Promise<SignalDecision> {
  const found = signalDecisions(records).find((one) => one.signalId === id || one.policyDecisionId === id)
  if (found !== undefined) return found
  const isSent = (await store.findInbox(runKey, `signal:${id}`)) !== undefined
  const why = isSent ? 'it is in the inbox, and nobody has decided on it yet' : 'no such signal was sent to it'
  return fail('SIGNAL_NOT_FOUND', `run ${runId} has no decision on signal '${id}': ${why}`)
}

function isDecision({ eventType }: LogRecord): boolean {
  return eventType === 'SignalAccepted' || eventType === 'SignalRejected'
}

function decisionOf(record: LogRecord): SignalDecision {
  const { payload = {}, data, emittedAt, tenantId, runId, runSeq } = record
  const text = (name: string): string => String(payload[name])
  const sent = data?.['signalPayload'] as SignalDecision['signalPayload']
  const given = sent?.['reason'] ?? (record.eventType === 'SignalAccepted' ? payload['reason'] : undefined)
  return {
    signalDecisionId: decisionIdOf({ tenantId, runId }, text('signalId')),
    signalId: text('signalId'),
    signalType: text('signalType'),
    ...verdictOf(record),
    policyDecisionId: text('policyDecisionId'),
    audit: {
      ...(payload['actorId'] === undefined ? {} : { actorId: text('actorId') }),
      ...(payload['actorRole'] === undefined ? {} : { actorRole: text('actorRole') }),
      tenantId,
      timestamp: emittedAt,
      ...(typeof given === 'string' ? { reason: given } : {}),
    },
    ...(sent === undefined ? {} : { signalPayload: sent }),
    runSeq,
  }
}

function verdictOf({
  eventType,
  payload = {},
}: LogRecord): Pick<SignalDecision, 'decision' | 'applied' | 'reasonCode' | 'reason'> {
  if (eventType === 'SignalAccepted') return { decision: 'ACCEPTED', applied: payload['applied'] === true }
  const { reasonCode, reason } = payload as { readonly reasonCode: string; readonly reason: string }
  return { decision: 'REJECTED', reasonCode, reason }
}
