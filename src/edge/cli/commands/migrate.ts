/**
 * `keelson migrate`: moves a live run to another engine. Towards Temporal it starts the workflow, and drives the run
 * itself only when asked to be a worker; towards this machine it drives the run, like `resume`.
 */
import { fail } from '../../../core/problems/problem.ts'
import { didYouMean } from '../../../core/did-you-mean.ts'
import type { Keelson, Migration, OpenOptions, RunHandle } from '../../../main.ts'
import type { RunRow } from '../../../ports/run-store.ts'
import { anchorHeads } from '../open/anchor-heads.ts'
import type { Call, Options } from '../terminal/command.ts'
import { driveOne } from '../drive/drive-one.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { findRun } from '../open/find-run.ts'
import { Doorbell } from '../progress/follow.ts'
import { timeOption } from '../terminal/time-option.ts'
import { outside } from '../open/outside.ts'
import { shortId } from '../terminal/format.ts'
import { openExisting } from '../open/session.ts'
import { recallSource } from '../files/sources.ts'
import { NO_STEPS } from '../files/steps-file.ts'
import { stepsOfRun } from '../open/steps-of-run.ts'
import type { Terminal } from '../terminal/terminal.ts'

const ENGINES = ['temporal', 'embedded'] as const
type Target = (typeof ENGINES)[number]

/** How long a run may take to resume before it is shown as it is. */
const LIFTED_MS = 5_000
const LOOK_MS = 50

export async function migrate({ args, options, terminal }: Call): Promise<number> {
  const to = targetOf(options.text('to'))
  const drain = options.text('drain')
  const drainMs = drain === undefined ? undefined : timeOption('--drain', drain)
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
    const code = await driveOne({ keelson, handle, doorbell, leavesStill: true, options, terminal })
    await anchorHeads(keelson, options, terminal)
    return code
  } finally {
    await keelson.close()
  }
}

function targetOf(name: string | undefined): Target {
  if (name === undefined) return fail('USAGE', `--to is missing; it is ${ENGINES.join(' or ')}`)
  const engine = ENGINES.find((one) => one === name)
  return (
    engine ??
    fail('USAGE', `a run can be moved to ${ENGINES.join(' or ')}, not to '${name}'`, didYouMean(name, ENGINES))
  )
}

async function lookUp(options: Options, name: string): Promise<RunRow> {
  const keelson = await openExisting(options)
  try {
    return (await findRun(keelson, name)).row
  } finally {
    await keelson.close()
  }
}

/** With the run's functions if it continues here; with Temporal if the run comes from there or goes there. */
async function openBoth(
  row: RunRow,
  to: Target,
  isHere: boolean,
  options: Options,
  doorbell: Doorbell,
): Promise<Keelson> {
  const source = recallSource(options.dir, row)
  const { path, functions } = isHere ? await stepsOfRun(row, options, source) : NO_STEPS
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
  const { temporalEngine } = await import('../../../compose/temporal-engine.ts')
  const [address, namespace, taskQueue] = ['address', 'namespace', 'taskQueue'].map((name) => options.text(name))
  return temporalEngine({ address, namespace, taskQueue, worker })
}

/** The resume signal is on its way; shown before that, the run would look paused. */
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
