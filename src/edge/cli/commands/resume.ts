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
import { tellSetAside } from '../set-aside-runs.ts'
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
  const found = await liveRuns(options, args[0], LIVE)
  const live = found.filter(({ quarantine }) => quarantine === undefined)
  const aside = await tellSetAside(
    found.filter((row) => !live.includes(row)),
    options,
    terminal,
  )
  const rows = live.filter((row) => !isQueued(row) && (args[0] !== undefined || isOurs(row)))
  if (args[0] !== undefined && live.length > rows.length) return startQueued(live, options, terminal)
  if (!options.json) tellOthers(live, args[0] !== undefined, terminal)
  if (rows.length === 0 && aside > 0) return EXIT.environment
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
    const isAside = aside > 0 || left.some(({ error }) => error.code === 'RUN_QUARANTINED')
    const [only] = runs
    if (only === undefined) return isAside ? EXIT.environment : EXIT.detached
    const code = await driveRuns({ runs, doorbell, options, terminal })
    await anchorHeads(only.keelson, options, terminal)
    if (code !== EXIT.completed) return code
    if (isAside) return EXIT.environment
    return left.length > 0 ? EXIT.detached : code
  } finally {
    await keelsons.close()
  }
}
