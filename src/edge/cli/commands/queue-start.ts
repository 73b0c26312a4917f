/** `keelson queue start`: starts what is queued, oldest first, and drives it to its end. Several may do so at once. */
import type { Call } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { liveRuns } from '../live-runs.ts'
import { howToDrive, WAITING } from '../run-lease.ts'
import { startQueued } from '../start-queued.ts'

export async function queueStart({ args, options, terminal }: Call): Promise<number> {
  const found = await liveRuns(options, args[0], WAITING)
  const now = Date.now()
  const rows = found.filter(({ status, nextWakeAt = 0 }) => status === 'APPROVED' && nextWakeAt <= now)
  if (rows.length > 0) return startQueued(rows.slice(0, options.whole('limit') ?? rows.length), options, terminal)
  const [waiting] = args[0] === undefined ? [] : found.filter(({ status }) => status === 'PENDING')
  if (!options.json)
    terminal.line(
      args[0] === undefined
        ? 'nothing is queued that could start now'
        : waiting === undefined
          ? 'the run is not queued, or not due yet'
          : `the run waits for approval: ${howToDrive(waiting)}`,
    )
  // Whoever names a run wants it started; an empty queue is nothing wrong.
  return args[0] === undefined ? EXIT.completed : EXIT.failed
}
