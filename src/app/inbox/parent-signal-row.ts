/** What a parent run leaves in the inbox of a child run: the same signal once, however often it is sent. */
import type { InboxInsert } from '../../ports/run-store.ts'
import { sentSignalId } from '../log/derived-uuid.ts'

export interface ParentSignal {
  readonly parentRunId: string
  readonly childRunId: string
  readonly signalType: string
  /** Which pause of the parent it belongs to. */
  readonly cycle: number
}

export function parentSignalRow({ parentRunId, childRunId, signalType, cycle }: ParentSignal): InboxInsert {
  const signalId = sentSignalId(childRunId, signalType, cycle)
  const body = {
    signalId,
    signalType,
    payload: { reason: `parent run ${parentRunId}` },
    authorization: { allowed: true, policyDecisionId: signalId, actorId: parentRunId, actorRole: 'parent' },
  }
  return { inboxId: `signal:${signalId}`, kind: 'signal', body: JSON.stringify(body) }
}
