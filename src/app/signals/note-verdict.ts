/**
 * What the run made of a signal, noted in the record of its decision (AUT-01): where its sender waited for it, or when somebody reads
 * the record later. The log stays the truth; a note that could not be stored is made by the next reader.
 */
import type { LogRecord } from '../../core/events/event.ts'
import { msFromIso } from '../../core/time.ts'
import type { EngineResult, SignalDecisionRecord } from '../../ports/decisions.ts'
import type { RunKey, RunStore } from '../../ports/run-store.ts'
import { signalInboxId } from './decision-record.ts'
import { verdictOn } from '../inbox/inbox-row-verdict.ts'

type NotingStore = Pick<RunStore, 'noteResult' | 'findInbox' | 'readEvents'>

/** The record with the result that the log has; as it is while no driver has decided. */
export async function withVerdict(
  store: NotingStore,
  runKey: RunKey,
  record: SignalDecisionRecord,
): Promise<SignalDecisionRecord> {
  if (record.engineProcessedAt !== undefined || record.decision === 'PENDING') return record
  const verdict = await verdictOn(store, runKey, signalInboxId(record.signalId))
  return verdict.kind === 'pending' ? record : noteVerdict(store, record, verdict.record)
}

export async function noteVerdict(
  store: Pick<RunStore, 'noteResult'>,
  record: SignalDecisionRecord,
  event: LogRecord | undefined,
): Promise<SignalDecisionRecord> {
  const engineResult = resultOf(record, event)
  if (event === undefined || engineResult === undefined || record.engineProcessedAt !== undefined) return record
  const engineProcessedAt = msFromIso(event.persistedAt) ?? record.audit.timestamp
  await store.noteResult(record.audit.tenantId, record.signalDecisionId, engineProcessedAt, engineResult)
  return { ...record, engineProcessedAt, engineResult }
}

function resultOf({ signalId }: SignalDecisionRecord, event: LogRecord | undefined): EngineResult | undefined {
  const { signalId: taken, reasonCode } = event?.payload ?? {}
  if (taken !== signalId) return undefined
  if (event?.eventType === 'SignalAccepted') return { status: 'success' }
  return event?.eventType === 'SignalRejected' ? { status: 'failure', errorCode: String(reasonCode) } : undefined
}
