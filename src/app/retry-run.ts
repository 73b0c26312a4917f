/**
 * The new run that an accepted RETRY_RUN asks for, once for that signal (SIG-07). A signal that was rejected, or that nobody
 * has answered yet, asks for none.
 */
import type { RunRow } from '../ports/run-store.ts'
import type { RunAdvancer } from './advance-run.ts'
import type { OpenEngine } from './engines.ts'
import { forkRun } from './fork-run.ts'
import { recordOf } from './read-events.ts'
import type { Services } from './services.ts'
import type { SignalRequest } from './signal-run.ts'

export interface RetryParts {
  readonly services: Services
  readonly advancer: RunAdvancer
}

export async function retryRun(
  { services, advancer }: RetryParts,
  { capabilities, host }: OpenEngine,
  row: RunRow,
  request: SignalRequest & { readonly actorId: string },
): Promise<void> {
  const { signalId, payload, actorId } = request
  if (!(await isAccepted(services, row, signalId))) return
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
  if (answer.kind === 'started') host.drive(answer.row.runKey, answer.report)
}

async function isAccepted({ store }: Services, { runKey }: RunRow, signalId: string): Promise<boolean> {
  for (let afterSeq = 0; ;) {
    const page = await store.readEvents(runKey, { afterSeq })
    const last = page.at(-1)
    if (last === undefined) return false
    for (const stored of page.filter(({ eventType }) => eventType === 'SignalAccepted')) {
      const record = recordOf(stored)
      if (record.ok && record.value.payload?.['signalId'] === signalId) return true
    }
    afterSeq = last.runSeq
  }
}
