/**
 * `keelson resume`: adopts runs without a driver and drives them to their end, each with the step functions it was
 * started with. Runs that wait for a person are reported and left. Runs of a live process are left to it, and queued
 * ones to `keelson queue start`; runs whose steps file cannot be loaded wait until it is repaired.
 */
import { awaiting, tellAwaiting } from './signal.ts'
import { fail } from '../../../core/problems/problem.ts'
import { engineTypeOf, isOutside } from '../../../core/engine/engine-type.ts'
import type { RunRow } from '../../../ports/run-store.ts'
import { adoptWhenFree } from '../open/adopt-when-free.ts'
import { anchorHeads } from '../open/anchor-heads.ts'
import type { Call, Options } from '../terminal/command.ts'
import { driveRuns } from '../drive/drive-many.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { Doorbell } from '../progress/follow.ts'
import { findRun } from '../open/find-run.ts'
import { Keelsons } from '../open/keelsons.ts'
import { tellLeftOut } from '../output/left-out.ts'
import { liveRuns } from '../open/live-runs.ts'
import { isQueued } from '../drive/run-lease.ts'
import { liftPauses } from '../drive/lift-pauses.ts'
import { plural, shortId } from '../terminal/format.ts'
import { tellSetAside } from '../drive/set-aside-runs.ts'
import { openExisting } from '../open/session.ts'
import { serverUrl } from '../files/place.ts'
import { RemoteRuns } from '../remote/remote-runs.ts'
import { needServer } from '../remote/server-client.ts'
import { queueStart } from './queue-start.ts'
import type { Terminal } from '../terminal/terminal.ts'

const LIVE = ['PENDING', 'APPROVED', 'RUNNING', 'PAUSED'] as const

const isOurs = ({ engineType }: RunRow): boolean => !isOutside(engineTypeOf(engineType))

/** Runs that are left alone, and who must handle them. */
function tellOthers(live: readonly RunRow[], isNamed: boolean, terminal: Terminal): void {
  const queued = live.filter((row) => isQueued(row)).length
  if (queued > 0) terminal.errorLine(`${plural(queued, 'run')} queued: keelson queue start`)
  const away = isNamed ? [] : live.filter((row) => !isQueued(row) && !isOurs(row))
  for (const { runId, engineType } of away)
    terminal.errorLine(
      `run ${shortId(runId)} is on ${engineType}: its workers go on with it (keelson worker --engine ${engineType}), or keelson migrate ${shortId(runId)} --to embedded`,
    )
}

/** There is more memory now, or a version that can handle the run: its three deaths are counted from zero again. */
async function readmit(name: string | undefined, options: Options): Promise<void> {
  if (name === undefined) fail('USAGE', '--retry takes one run: keelson resume <run> --retry')
  const keelson = await openExisting(options)
  try {
    await keelson.readmit((await findRun(keelson, name)).runId)
  } finally {
    await keelson.close()
  }
}

export function resume(call: Call): Promise<number> {
  return serverUrl(call.options) === undefined ? takeOver(call, true) : resumeAfar(call)
}

/** A server drives its runs by itself; what a person can lift is a pause. */
async function resumeAfar({ args, options, terminal }: Call): Promise<number> {
  const [name] = args
  if (name === undefined || options.flag('retry'))
    return fail('NOT_FROM_AFAR', 'a server goes on with its runs by itself; name a paused run to lift its pause')
  const run = await findRun(new RemoteRuns(await needServer(options)), name)
  if (run.row.status !== 'PAUSED') fail('RUN_NOT_RUNNING', `run ${shortId(run.runId)} is ${run.row.status}, not paused`)
  const { signalId, awaits } = await run.signal('RESUME', { reason: 'keelson resume' })
  if (awaits !== undefined) return tellAwaiting(awaiting(run, 'RESUME', signalId, awaits), options, terminal)
  if (options.json) terminal.json({ runId: run.runId, resumed: true })
  else terminal.line(`run ${shortId(run.runId)} goes on in the process that drives it`)
  return EXIT.completed
}

/** With `lifts`, paused runs go on: the named one, or those that Ctrl-C paused. */
export async function takeOver(call: Call, lifts: boolean): Promise<number> {
  const { args, options, terminal } = call
  if (options.flag('retry')) await readmit(args[0], options)
  const found = await liveRuns(options, args[0], LIVE)
  const live = found.filter(({ quarantine }) => quarantine === undefined)
  const aside = await tellSetAside(
    found.filter((row) => !live.includes(row)),
    options,
    terminal,
  )
  const rows = live.filter((row) => !isQueued(row) && (args[0] !== undefined || isOurs(row)))
  if (args[0] !== undefined && live.length > rows.length) return queueStart(call)
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
    const lifted = lifts ? await liftPauses(opened.wanted, args[0] !== undefined) : new Set()
    const { runs, left: busy } = await adoptWhenFree(opened.wanted)
    const left = [...opened.left, ...busy]
    const [first] = left
    if (first !== undefined && args[0] !== undefined) {
      if (first.error.code !== 'RUN_DRIVEN_ELSEWHERE' || !lifted.has(first.row.runId)) throw first.error
      if (options.json) terminal.json({ runId: first.row.runId, resumed: true })
      else terminal.line(`run ${shortId(first.row.runId)} goes on in the process that drives it`)
      return EXIT.completed
    }
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
