/**
 * `keelson migrate`: moves a live run to another engine. Towards Temporal it starts the workflow, and goes on with the run
 * itself only where it is asked to be a worker; towards this machine it drives the run on, like `resume`.
 */
import { fail } from '../../../core/problems/problem.ts'
import { didYouMean } from '../../../core/plan/reading.ts'
import type { Keelson, Migration, OpenOptions, RunHandle } from '../../../main.ts'
import type { RunRow } from '../../../ports/run-store.ts'
import { anchorHeads } from '../anchor-heads.ts'
import type { Call, Options } from '../command.ts'
import { driveOne } from '../drive-one.ts'
import { EXIT } from '../exit-codes.ts'
import { findRun } from '../find-run.ts'
import { Doorbell } from '../follow.ts'
import { instantOf } from '../instant.ts'
import { outside } from '../outside.ts'
import { shortId } from '../output/format.ts'
import { openExisting } from '../session.ts'
import { recallSource } from '../sources.ts'
import { findStepsFile, loadSteps } from '../steps-file.ts'
import type { Terminal } from '../terminal.ts'

const ENGINES = ['temporal', 'embedded'] as const
type Target = (typeof ENGINES)[number]

/** How long a run may take to take up the end of its pause, before it is shown as it is. */
const LIFTED_MS = 5_000
const LOOK_MS = 50

export async function migrate({ args, options, terminal }: Call): Promise<number> {
  const to = targetOf(options.text('to'))
  const drainMs = drainOf(options.text('drain'))
  const isHere = to === 'temporal' ? options.flag('worker') : !options.flag('detach')
  const row = await lookUp(options, args[0] ?? '')
  const doorbell = new Doorbell()
  const keelson = await openBoth(row, to, isHere, options, doorbell)
  try {
    const moved = await keelson.migrate(row.runId, {
      to,
      detach: !isHere,
      ...(drainMs === undefined ? {} : { drainMs }),
      ...(options.flag('force') ? { force: true } : {}),
    })
    tell(moved, isHere, options, terminal)
    if (!isHere) return EXIT.completed
    const handle = await keelson.run(row.runId)
    if (!moved.paused) await untilLifted(handle)
    const code = await driveOne({ keelson, handle, doorbell, interrupt: 'leave', options, terminal })
    await anchorHeads(keelson, options, terminal)
    return code
  } finally {
    await keelson.close()
  }
}

function targetOf(name: string | undefined): Target {
  if (name === undefined) return fail('USAGE', `--to says where: ${ENGINES.join(' or ')}`)
  const engine = ENGINES.find((one) => one === name)
  return (
    engine ??
    fail('USAGE', `a run can be moved to ${ENGINES.join(' or ')}, not to '${name}'`, didYouMean(name, ENGINES))
  )
}

function drainOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,6}(s|min|h)$/.test(text)) fail('USAGE', `--drain takes a time such as 30s or 10min, not '${text}'`)
  return instantOf(text, '--drain', 0, true)
}

async function lookUp(options: Options, name: string): Promise<RunRow> {
  const keelson = await openExisting(options)
  try {
    return (await findRun(keelson, name)).row
  } finally {
    await keelson.close()
  }
}

/** With the run's functions where it is to go on here; with Temporal where the run comes from there or goes there. */
async function openBoth(
  row: RunRow,
  to: Target,
  isHere: boolean,
  options: Options,
  doorbell: Doorbell,
): Promise<Keelson> {
  const source = recallSource(options.dir, row)
  const path = isHere ? findStepsFile(options.text('steps') ?? source?.steps, ['.']) : undefined
  const { functions } = await loadSteps(path)
  const isOnTemporal = to === 'temporal' || row.engineType === 'temporal'
  return openExisting(options, {
    steps: functions,
    ...(path === undefined ? {} : { stepsModule: path }),
    ...outside(options, source),
    ...(isOnTemporal ? { engines: [await temporalOf(options, to === 'temporal' && isHere)] } : {}),
    onProgress: (runKey) => doorbell.ring(runKey),
  })
}

async function temporalOf(options: Options, worker: boolean): Promise<NonNullable<OpenOptions['engines']>[number]> {
  const { temporalEngine } = await import('../../../temporal-engine.ts')
  const [address, namespace, taskQueue] = ['address', 'namespace', 'taskQueue'].map((name) => options.text(name))
  return temporalEngine({ address, namespace, taskQueue, worker })
}

/** Its end of the pause is on the way; a run that is shown before it would pass for one that stands still. */
async function untilLifted(handle: RunHandle): Promise<void> {
  const deadline = performance.now() + LIFTED_MS
  while ((await handle.snapshot()).status === 'PAUSED' && performance.now() < deadline)
    await new Promise<void>((resolve) => void setTimeout(resolve, LOOK_MS))
}

function tell(moved: Migration, isHere: boolean, options: Options, terminal: Terminal): void {
  if (options.json) {
    terminal.json({ migration: moved })
    return
  }
  const { runId, to, epoch, again, paused } = moved
  const id = shortId(runId)
  terminal.line(`run ${id} is on ${to} now (epoch ${epoch})`)
  if (again.length > 0) terminal.line(`  carried out again there: ${again.join(', ')}`)
  if (paused) terminal.line(`  it was paused and still is: ${terminal.paint.cyan(`keelson signal ${id} resume`)}`)
  if (isHere) return
  const next = to === 'temporal' ? 'keelson worker --engine temporal' : `keelson resume ${id}`
  terminal.line(`  ${terminal.paint.cyan(next)} goes on with it`)
}
