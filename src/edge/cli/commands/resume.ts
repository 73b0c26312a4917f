/**
 * `keelson resume`: takes over runs that nobody drives and drives them to their end, each with the step functions it was
 * started with. Runs that wait for a person are told and left; runs of a living process are left to it, and queued ones to
 * `keelson queue start`.
 */
import { adoptWhenFree, type Wanted } from '../adopt-when-free.ts'
import { anchorHeads } from '../anchor-heads.ts'
import type { Call } from '../command.ts'
import { driveRuns } from '../drive-runs.ts'
import { EXIT } from '../exit-codes.ts'
import { Doorbell } from '../follow.ts'
import { Keelsons } from '../keelsons.ts'
import { liveRuns } from '../live-runs.ts'
import { isQueued } from '../run-lease.ts'
import { plural } from '../output/format.ts'
import { startQueued } from '../start-queued.ts'

const LIVE = ['PENDING', 'APPROVED', 'RUNNING', 'PAUSED'] as const

export async function resume({ args, options, terminal }: Call): Promise<number> {
  const live = await liveRuns(options, args[0], LIVE)
  const rows = live.filter((row) => !isQueued(row))
  if (args[0] !== undefined && live.length > rows.length) return startQueued(live, options, terminal)
  const queued = live.length - rows.length
  if (queued > 0 && !options.json) terminal.errorLine(`${plural(queued, 'run')} queued: keelson queue start`)
  if (rows.length === 0) {
    if (!options.json)
      terminal.line(
        `nothing to resume: ${args[0] === undefined ? 'every run here' : 'the run'} has ended${queued > 0 ? ' or is queued' : ''}`,
      )
    return EXIT.completed
  }
  const doorbell = new Doorbell()
  const keelsons = new Keelsons(options, doorbell)
  try {
    const wanted: Wanted[] = []
    for (const row of rows) wanted.push({ row, keelson: await keelsons.for(row) })
    const runs = await adoptWhenFree(wanted, args[0] !== undefined, terminal)
    const [only] = runs
    if (only === undefined) return EXIT.detached
    const code = await driveRuns({ runs, doorbell, options, terminal })
    await anchorHeads(only.keelson, options, terminal)
    return code
  } finally {
    await keelsons.close()
  }
}
