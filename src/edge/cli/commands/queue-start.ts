/**
 * `keelson queue start`: starts queued runs that are due, oldest first, and drives them to their end. Several processes
 * may do so at once.
 */
import { fail } from '../../../core/problems/problem.ts'
import { isTerminalRun } from '../../../core/run/state/transitions.ts'
import type { RunRow } from '../../../ports/run-store.ts'
import type { Call } from '../terminal/command.ts'
import { EXIT, exitOfStatus } from '../terminal/exit-codes.ts'
import { shortId } from '../terminal/format.ts'
import { serverUrl } from '../files/place.ts'
import { openExisting } from '../open/session.ts'
import { liveRuns } from '../open/live-runs.ts'
import { howToDrive, needsApproval, WAITING, whyPending } from '../drive/run-lease.ts'
import { startQueued } from '../drive/start-queued.ts'

export async function queueStart(call: Call): Promise<number> {
  const { args, options, terminal } = call
  if (serverUrl(options) !== undefined) return (await import('../afar/start-queued-afar.ts')).startQueuedAfar(call)
  const [name] = args
  const found = (await liveRuns(options, name, WAITING)).filter(({ quarantine }) => quarantine === undefined)
  const now = Date.now()
  const isDue = (row: RunRow): boolean => (row.nextWakeAt ?? 0) <= now
  const rows = found.filter((row) => whyPending(row) !== undefined && !needsApproval(row) && isDue(row))
  if (rows.length > 0) return startQueued(rows.slice(0, options.whole('limit') ?? rows.length), options, terminal)
  // Whoever names a run wants it started; an empty queue is nothing wrong.
  const [row] = found
  if (name !== undefined && row !== undefined && needsApproval(row))
    return tellPending(row, name, { options, terminal })
  if (name !== undefined) fail('RUN_NOT_QUEUED', `run ${name} ${whyNot(row)}`)
  if (!options.json) terminal.line('nothing is queued that could start now')
  return EXIT.completed
}

/** What was said of it since it was queued is taken first: it may be cancelled, or approved, by now. */
async function tellPending(
  row: RunRow,
  name: string,
  { options, terminal }: Pick<Call, 'options' | 'terminal'>,
): Promise<number> {
  const keelson = await openExisting(options)
  const { status } = await keelson.queue.settle(row.runId).finally(() => keelson.close())
  if (status === 'APPROVED') return startQueued([{ ...row, status }], options, terminal)
  if (!isTerminalRun(status)) fail('RUN_NOT_QUEUED', `run ${name} ${whyNot({ ...row, status })}`)
  terminal.errorLine(`run ${shortId(row.runId)} does not start: it is ${status}`)
  return exitOfStatus(status)
}

function whyNot(row: RunRow | undefined): string {
  if (row === undefined) return 'has ended'
  if (needsApproval(row)) return `waits for approval: ${howToDrive(row)}`
  return whyPending(row) === undefined ? `is ${row.status}: it was started already` : 'is not due yet'
}
