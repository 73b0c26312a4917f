/** `keelson run`: compile, check, start, and show the run to its end. It drives its own run and no other (P-30). */
import { dirname } from 'node:path'
import { refuseReach } from '../../../app/plans/run-lock.ts'
import { fail } from '../../../core/problems/problem.ts'
import { isTerminalRun } from '../../../core/run/state/transitions.ts'
import { isoFromMs } from '../../../core/time.ts'
import type { Keelson, RunHandle } from '../../../main.ts'
import type { StartOptions } from '../../../library/run-options.ts'
import { checkHandlers } from '../files/check-handlers.ts'
import { anchorHeads } from '../open/anchor-heads.ts'
import type { Call, Options } from '../terminal/command.ts'
import { checkDetached, driveApart, tellDetached } from '../drive/detached.ts'
import { driveOne } from '../drive/drive-one.ts'
import { chosenEngine } from '../open/engine-choice.ts'
import { EXIT, exitOfStatus } from '../terminal/exit-codes.ts'
import { instantOf } from '../terminal/instant.ts'
import { shortId } from '../terminal/format.ts'
import { isDriven, isQueued, needsApproval } from '../drive/run-lease.ts'
import { tellQueued } from '../drive/tell-queued.ts'
import { EarlySignals } from '../progress/early-signals.ts'
import { Doorbell } from '../progress/follow.ts'
import { mayStart } from '../plans/first-start.ts'
import { serverUrl } from '../files/place.ts'
import { planToRun, type PlanToRun } from '../plans/plan-to-run.ts'
import { unusedText } from '../output/reach.ts'
import { readInput } from '../files/run-input.ts'
import { allowedHosts, allowedSecrets, lockOf, outside } from '../open/outside.ts'
import { openOrCreate } from '../open/session.ts'
import { seenSteps } from '../files/seen-steps.ts'
import { rememberSource, type Source } from '../files/sources.ts'
import { findStepsFile, loadSteps, type StepsFile } from '../files/steps-file.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { VersionKeeper } from '../plans/version-keeper.ts'

export async function run(call: Call): Promise<number> {
  const { args, options, terminal } = call
  checkApproval(options)
  checkDetached(options)
  if (serverUrl(options) !== undefined) return (await import('../afar/run-afar.ts')).runAfar(call)
  const isApart = options.flag('detach') && options.text('engine') !== 'temporal'
  const plan = await planToRun(args[0], options)
  const { file, children, unused = [], name } = plan
  const input = readInput(options.text('input'), options.list('set'))
  const isElsewhere = clientOnly(options)
  const lock = lockOf(options)
  const plans = [file, ...children].map(({ compiled }) => compiled.plan)
  if (lock !== undefined) refuseReach(plans, lock)
  const found = isElsewhere || lock?.code === false ? undefined : stepsFileOf(plan, options)
  if (!(await mayStart({ file, children, unused, steps: found, isOurs: name !== undefined }, options, terminal)))
    return EXIT.cancelled
  for (const one of unused) terminal.errorLine(`${terminal.errorPaint.yellow('!')} ${unusedText(one)}`)
  // A process in the background has nobody to tell that it cannot load them.
  const steps = options.flag('queue') ? onlySeen(found) : await loadSteps(found)
  if (!isElsewhere) checkHandlers([file, ...children], steps)
  const source = sourceOf(plan, steps.path, options)
  const doorbell = new Doorbell()
  const keelson = await openOrCreate(options, {
    steps: steps.functions,
    ...(steps.path === undefined ? {} : { stepsModule: steps.path }),
    ...outside(options, source),
    ...(await chosenEngine(options)),
    onProgress: (runKey) => doorbell.ring(runKey),
  })
  const early = new EarlySignals()
  try {
    const versions = new VersionKeeper(options, terminal, { isTrial: true })
    const started = {
      ...startOptions(options),
      ...(isApart ? { queue: true } : {}),
      ...(lock === undefined ? {} : { locked: lock }),
    }
    const handle = await startIt(keelson, plan, versions, (how) => ({ ...started, ...how }), input)
    // Not awaited: once started, the run must be released when the command is stopped.
    const published = handle.existed || name !== undefined ? Promise.resolve() : publish(keelson, plan, versions)
    published.catch(() => undefined)
    if (!handle.existed) remember(options, handle, source, terminal)
    if (handle.row.archivedAt !== undefined) return tellArchived(handle, options, terminal)
    if (options.flag('detach') || options.flag('queue') || needsApproval(handle.row)) {
      await published
      return await leaveIt(handle, isApart, options, terminal)
    }
    await takeUp(keelson, handle)
    const how = { leavesStill: false, early, isElsewhere, options, terminal }
    const code = await driveOne({ keelson, handle, doorbell, ...how })
    await published
    await anchorHeads(keelson, options, terminal)
    return code
  } finally {
    early.handOver()
    await keelson.close()
  }
}

/** The run is admitted and not driven here: another process starts it, at once or later. */
async function leaveIt(handle: RunHandle, isApart: boolean, options: Options, terminal: Terminal): Promise<number> {
  if (!options.flag('detach')) return tellQueued(handle, options, terminal)
  if (isApart && !isTerminalRun(handle.row.status) && !isDriven(handle.row)) await driveApart(handle, options)
  return tellDetached(handle, options, terminal)
}

/** What is only admitted runs nothing of the folder it comes from: whoever starts it loads its functions. */
function onlySeen(path: string | undefined): StepsFile {
  return { ...seenSteps(path), functions: {} }
}

function stepsFileOf({ file, name }: PlanToRun, options: Options): string | undefined {
  return findStepsFile(options.text('steps'), [name === undefined ? dirname(file.path) : '.', '.'])
}

function sourceOf({ file }: PlanToRun, steps: string | undefined, options: Options): Source {
  return {
    plan: file.path,
    ...(steps === undefined ? {} : { steps }),
    allow: allowedHosts(options),
    secrets: allowedSecrets(options),
  }
}

async function publish(keelson: Keelson, { file }: PlanToRun, versions: VersionKeeper): Promise<void> {
  await versions.keep(file.compiled, (how) => keelson.publish(file.compiled, how))
}

/** A published plan is not published again. */
async function startIt(
  keelson: Keelson,
  { file, children, name }: PlanToRun,
  versions: VersionKeeper,
  optionsFor: (how: { readonly replaceVersion?: boolean }) => StartOptions,
  input: unknown,
): Promise<RunHandle> {
  if (name !== undefined) return keelson.start(name, input, optionsFor({}))
  for (const { compiled } of children) await versions.keep(compiled, (how) => keelson.publish(compiled, how))
  return versions.keep(file.compiled, (how) => keelson.start(file.compiled, input, optionsFor(how)))
}

/** Only an outside engine has workers elsewhere, and it queues by itself. */
function clientOnly(options: Options): boolean {
  const isOutside = options.text('engine') === 'temporal'
  if (isOutside && options.flag('queue'))
    fail(
      'USAGE',
      '--queue is for runs on this machine; a run on Temporal waits in its task queue until a worker has it',
    )
  if (!isOutside && options.flag('clientOnly'))
    fail('USAGE', '--client-only needs an outside engine: --engine temporal')
  return options.flag('clientOnly')
}

function checkApproval(options: Options): void {
  if (options.flag('needsApproval') && (!options.flag('queue') || options.text('notBefore') !== undefined))
    fail('USAGE', '--needs-approval goes with --queue, and without --not-before')
}

function startOptions(options: Options): StartOptions {
  const requestId = options.text('requestId')
  const when = options.text('notBefore')
  const correlationId = options.text('correlationId')
  const actorId = options.text('as')
  return {
    ...(actorId === undefined ? {} : { actorId }),
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(when === undefined ? {} : { notBefore: instantOf(when, '--not-before', Date.now(), true) }),
    ...(options.flag('queue') ? { queue: true } : {}),
    ...(options.flag('needsApproval') ? { autoApprove: false } : {}),
  }
}

/** The run has begun: if the folder cannot be written, only `resume` does not find its functions. */
function remember(options: Options, { row }: RunHandle, source: Source, terminal: Terminal): void {
  try {
    rememberSource(options.dir, row, source)
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    terminal.errorLine(`where this run came from cannot be noted (${why}); resume must be told its --steps`)
  }
}

/** The request was answered long ago: its run has ended, and its log is in a bundle. */
function tellArchived({ runId, row }: RunHandle, options: Options, terminal: Terminal): number {
  const { status, archivedTo } = row
  const archivedAt = isoFromMs(row.archivedAt ?? 0)
  const bundle = archivedTo === undefined ? {} : { bundle: archivedTo }
  if (options.json) terminal.json({ result: { runId, status, archivedAt, ...bundle } })
  else {
    const { bold, cyan } = terminal.paint
    terminal.line(`${bold(row.planId)} ${row.planVersion}   run ${bold(shortId(runId))} ended ${status} before`)
    terminal.line(`  archived   ${archivedAt}`)
    if (archivedTo !== undefined) terminal.line(`  bundle     ${cyan(`keelson verify ${archivedTo}`)}`)
  }
  return exitOfStatus(status)
}

/**
 * The request may have been made before and its run abandoned: then it continues here, unless another process has it.
 */
async function takeUp(keelson: Keelson, handle: RunHandle): Promise<void> {
  if (!handle.existed || isTerminalRun(handle.row.status) || isDriven(handle.row)) return
  if (isQueued(handle.row)) await keelson.queue.start({ runIds: [handle.runId] })
  else await keelson.adopt(handle.runId)
}
