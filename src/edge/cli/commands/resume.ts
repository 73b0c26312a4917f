/**
 * `keelson resume`: takes over runs that nobody drives and drives them to their end, each with the step functions it was
 * started with. Runs that wait for a person are told and left; runs of a living process are left to it, queued ones to
 * `keelson queue start`, and those whose steps file cannot be loaded to whoever mends it.
 */
import { engineTypeOf, isOutside } from '../../../core/run/engines.ts'
import type { RunRow } from '../../../ports/run-store.ts'
import { adoptWhenFree } from '../adopt-when-free.ts'
import { anchorHeads } from '../anchor-heads.ts'
import type { Call } from '../command.ts'
import { driveRuns } from '../drive-runs.ts'
import { EXIT } from '../exit-codes.ts'
import { Doorbell } from '../follow.ts'
import { Keelsons } from '../keelsons.ts'
import { tellLeftOut } from '../left-out.ts'
import { liveRuns } from '../live-runs.ts'
import { isQueued } from '../run-lease.ts'
import { plural, shortId } from '../output/format.ts'
import { startQueued } from '../start-queued.ts'
import type { Terminal } from '../terminal.ts'

const LIVE = ['PENDING', 'APPROVED', 'RUNNING', 'PAUSED'] as const

const isOurs = ({ engineType }: RunRow): boolean => !isOutside(engineTypeOf(engineType))

/** What is left to others, and to whom. */
function tellOthers(live: readonly RunRow[], isNamed: boolean, terminal: Terminal): void {
  const queued = live.filter((row) => isQueued(row)).length
  if (queued > 0) terminal.errorLine(`${plural(queued, 'run')} queued: keelson queue start`)
  const away = isNamed ? [] : live.filter((row) => !isQueued(row) && !isOurs(row))
  for (const { runId, engineType } of away)
    terminal.errorLine(
      `run ${shortId(runId)} is on ${engineType}: its workers go on with it (keelson worker --engine ${engineType}), or keelson migrate ${shortId(runId)} --to embedded`,
    )
}

export async function resume({ args, options, terminal }: Call): Promise<number> {
  const live = await liveRuns(options, args[0], LIVE)
  const rows = live.filter((row) => !isQueued(row) && (args[0] !== undefined || isOurs(row)))
  if (args[0] !== undefined && live.length > rows.length) return startQueued(live, options, terminal)
  if (!options.json) tellOthers(live, args[0] !== undefined, terminal)
  if (rows.length === 0) {
    const others = live.length > 0 ? ', is queued, or is on another engine' : ''
    if (!options.json)
      terminal.line(`nothing to resume: ${args[0] === undefined ? 'every run here' : 'the run'} has ended${others}`)
    return EXIT.completed
  }
  const doorbell = new Doorbell()
  const keelsons = new Keelsons(options, doorbell)
  try {
    const opened = await keelsons.open(rows)
    const { runs, left: busy } = await adoptWhenFree(opened.wanted)
    const left = [...opened.left, ...busy]
    const [first] = left
    if (first !== undefined && args[0] !== undefined) throw first.error
    tellLeftOut(left, options, terminal)
    const [only] = runs
    if (only === undefined) return EXIT.detached
    const code = await driveRuns({ runs, doorbell, options, terminal })
    await anchorHeads(only.keelson, options, terminal)
    return code === EXIT.completed && left.length > 0 ? EXIT.detached : code
  } finally {
    await keelsons.close()
  }
}
