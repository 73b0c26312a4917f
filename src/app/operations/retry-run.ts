/**
 * The new run that an accepted RETRY_RUN asks for, once for that signal (SIG-07). A rejected or unanswered signal
 * starts none.
 */
import type { RunRow } from '../../ports/run-store.ts'
import type { RunAdvancer } from '../advance/advance-run.ts'
import type { OpenEngine } from '../engines/engines.ts'
import { forkRun } from '../start/fork-run.ts'
import { recordOf } from '../log/read-events.ts'
import { storedEvents } from '../log/stored-events.ts'
import type { Services } from '../services.ts'
import type { SignalRequest } from '../signals/judge-signal.ts'

export interface RetryParts {
  readonly services: Services
  readonly advancer: RunAdvancer
}

/** Answers which run it is; undefined for none. */
export async function retryRun(
  { services, advancer }: RetryParts,
  { capabilities, host }: OpenEngine,
  row: RunRow,
  request: SignalRequest & { readonly actorId: string },
): Promise<string | undefined> {
  const { signalId, payload, actorId } = request
  if (!(await isAccepted(services, row, signalId))) return undefined
  const { tenantId, projectId, environmentId } = row
  const { from, repeatIrreversible } = payload
  const answer = await forkRun(services, advancer, {
    row,
    principal: { tenantId, projectId, environmentId, actorId },
    engine: capabilities,
    lease: host.lease(),
    signalId,
    ...(typeof from === 'string' ? { from } : {}),
    ...(repeatIrreversible === true ? { repeatIrreversible } : {}),
  })
  // Nobody drives a run that waits for approval.
  if (answer.kind === 'started' && answer.report.status !== 'PENDING') host.drive(answer.row.runKey, answer.report)
  return answer.row.runId
}

async function isAccepted({ store }: Services, { runKey }: RunRow, signalId: string): Promise<boolean> {
  for await (const stored of storedEvents(store, runKey)) {
    const record = stored.eventType === 'SignalAccepted' ? recordOf(stored) : undefined
    if (record?.ok === true && record.value.payload?.['signalId'] === signalId) return true
  }
  return false
}
