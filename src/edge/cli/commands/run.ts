/** `keelson run`: compile, check, start, and show the run to its end. It drives its own run and no other (P-30). */
import { dirname } from 'node:path'
import { fail } from '../../../core/problems/problem.ts'
import { isTerminalRun } from '../../../core/run/transitions.ts'
import { isoFromMs } from '../../../core/time.ts'
import type { Keelson, RunHandle } from '../../../main.ts'
import type { StartOptions } from '../../library/keelson.ts'
import { checkHandlers } from '../check-handlers.ts'
import { anchorHeads } from '../anchor-heads.ts'
import type { Call, Options } from '../command.ts'
import { driveOne } from '../drive-one.ts'
import { chosenEngine } from '../engine-choice.ts'
import { EXIT, exitOfStatus } from '../exit-codes.ts'
import { instantOf } from '../instant.ts'
import { shortId } from '../output/format.ts'
import { howToDrive, isDriven, isQueued } from '../run-lease.ts'
import { Doorbell } from '../follow.ts'
import { childPlanFiles, readPlanFile, type PlanFile } from '../plan-file.ts'
import { readInput } from '../run-input.ts'
import { allowedHosts, outside } from '../outside.ts'
import { openOrCreate } from '../session.ts'
import { rememberSource, type Source } from '../sources.ts'
import { findStepsFile, loadSteps } from '../steps-file.ts'
import type { Terminal } from '../terminal.ts'

export async function run({ args, options, terminal }: Call): Promise<number> {
  checkApproval(options)
  const file = readPlanFile(args[0] ?? '')
  const children = childPlanFiles(file)
  const input = readInput(options.text('input'), options.list('set'))
  const isElsewhere = clientOnly(options)
  const steps = await loadSteps(
    isElsewhere ? undefined : findStepsFile(options.text('steps'), [dirname(file.path), '.']),
  )
  if (!isElsewhere) checkHandlers([file, ...children], steps)
  const source: Source = {
    plan: file.path,
    ...(steps.path === undefined ? {} : { steps: steps.path }),
    allow: allowedHosts(options),
  }
  const doorbell = new Doorbell()
  const keelson = await openOrCreate(options, {
    steps: steps.functions,
    ...(steps.path === undefined ? {} : { stepsModule: steps.path }),
    ...outside(options, source),
    ...(await chosenEngine(options)),
    onProgress: (runKey) => doorbell.ring(runKey),
  })
  try {
    await publish(keelson, children)
    const handle = await keelson.start(file.compiled, input, startOptions(options))
    if (!handle.existed) remember(options, handle, source, terminal)
    if (handle.row.archivedAt !== undefined) return tellArchived(handle, options, terminal)
    if (options.flag('queue') || handle.row.status === 'PENDING') return tellQueued(handle, options, terminal)
    await takeUp(keelson, handle)
    const code = await driveOne({ keelson, handle, doorbell, interrupt: 'cancel', isElsewhere, options, terminal })
    await anchorHeads(keelson, options, terminal)
    return code
  } finally {
    await keelson.close()
  }
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

async function publish(keelson: Keelson, files: readonly PlanFile[]): Promise<void> {
  for (const { compiled } of files) {
    const { planId, planVersion } = compiled.plan.metadata
    await keelson.services.store.putPlan({ sha256: compiled.sha256, planId, planVersion, text: compiled.text })
  }
}

function startOptions(options: Options): StartOptions {
  const requestId = options.text('requestId')
  const when = options.text('notBefore')
  const correlationId = options.text('correlationId')
  return {
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(requestId === undefined ? {} : { requestId }),
    ...(when === undefined ? {} : { notBefore: instantOf(when, '--not-before', Date.now(), true) }),
    ...(options.flag('queue') ? { queue: true } : {}),
    ...(options.flag('needsApproval') ? { autoApprove: false } : {}),
  }
}

/** The run has begun: a folder that cannot be written only costs `resume` the way to its functions. */
function remember(options: Options, { row }: RunHandle, source: Source, terminal: Terminal): void {
  try {
    rememberSource(options.dir, row, source)
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown)
    terminal.errorLine(`where this run came from cannot be noted (${why}); resume must be told its --steps`)
  }
}

function tellQueued({ runId, row, existed }: RunHandle, options: Options, terminal: Terminal): number {
  if (options.json) terminal.json({ result: { runId, status: row.status, queued: isQueued(row) } })
  else {
    const { bold, cyan } = terminal.paint
    terminal.line(
      `${bold(row.planId)} ${row.planVersion}   run ${bold(shortId(runId))} ${existed ? 'was admitted before' : 'is queued'}`,
    )
    if (isQueued(row))
      terminal.line(`  ${row.status === 'PENDING' ? 'approve' : 'start  '}    ${cyan(howToDrive(row))}`)
  }
  return options.flag('queue') ? EXIT.completed : EXIT.detached
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

/** The request may have been made before and its run left: then it goes on here, unless somebody else has it. */
async function takeUp(keelson: Keelson, handle: RunHandle): Promise<void> {
  if (!handle.existed || isTerminalRun(handle.row.status) || isDriven(handle.row)) return
  if (isQueued(handle.row)) await keelson.queue.start({ runIds: [handle.runId] })
  else await keelson.adopt(handle.runId)
}
