/** `keelson queue start`: starts what is queued and due, oldest first, and drives it to its end. Several may do so at once. */
import { fail } from '../../../core/problems/problem.ts'
import type { RunRow } from '../../../ports/run-store.ts'
import type { Call } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { liveRuns } from '../live-runs.ts'
import { howToDrive, WAITING } from '../run-lease.ts'
import { startQueued } from '../start-queued.ts'

export async function queueStart({ args, options, terminal }: Call): Promise<number> {
  const [name] = args
  const found = (await liveRuns(options, name, WAITING)).filter(({ quarantine }) => quarantine === undefined)
  const now = Date.now()
  const rows = found.filter(({ status, nextWakeAt = 0 }) => status === 'APPROVED' && nextWakeAt <= now)
  if (rows.length > 0) return startQueued(rows.slice(0, options.whole('limit') ?? rows.length), options, terminal)
  // Whoever names a run wants it started; an empty queue is nothing wrong.
  if (name !== undefined) fail('RUN_NOT_QUEUED', `run ${name} ${whyNot(found[0])}`)
  if (!options.json) terminal.line('nothing is queued that could start now')
  return EXIT.completed
}

function whyNot(row: RunRow | undefined): string {
  if (row === undefined) return 'has ended'
  if (row.status === 'PENDING') return `waits for approval: ${howToDrive(row)}`
  return row.status === 'APPROVED' ? 'is not due yet' : `is ${row.status}: it was started already`
}
