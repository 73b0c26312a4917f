/** A new run from the results of an ended one, with the functions of its plan, shown to its end like any other. */
import { isTerminalRun } from '../../../core/run/state/transitions.ts'
import type { ForkPreview, Keelson, RunHandle } from '../../../main.ts'
import type { RunRow } from '../../../ports/run-store.ts'
import { anchorHeads } from '../open/anchor-heads.ts'
import type { Options } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { driveOne } from './drive-one.ts'
import { engineOfRun } from '../open/engine-choice.ts'
import { Doorbell } from '../progress/follow.ts'
import { allowedHosts, allowedSecrets, outside } from '../open/outside.ts'
import { forkPreviewJson, forkWarnings, tellForkPreview } from '../output/fork-preview.ts'
import { mayFork, stepsOfPlan, stepsPath, tellOther, whatToFork, type WhatToFork } from './other-fork.ts'
import { tellQueued } from './tell-queued.ts'
import { isDriven, isQueued } from './run-lease.ts'
import { openExisting, openToExamine } from '../open/session.ts'
import { recallSource, rememberSource, type Source } from '../files/sources.ts'
import { NO_STEPS, type StepsFile } from '../files/steps-file.ts'
import { stepsOfRun } from '../open/steps-of-run.ts'
import { VersionKeeper } from '../plans/version-keeper.ts'
import type { Terminal } from '../terminal/terminal.ts'

export interface Forking {
  /** The ended run. */
  readonly row: RunRow
  /** The RETRY_RUN that asked for it; one signal forks once. */
  readonly signalId?: string
  readonly options: Options
  readonly terminal: Terminal
}

export async function forkAndDrive(forking: Forking): Promise<number> {
  const { row: old, options, terminal } = forking
  const what = await whatToFork(options)
  const source = recallSource(options.dir, old)
  const isElsewhere = old.engineType === 'temporal' && options.flag('clientOnly')
  const shown = await lookBefore(forking, what)
  const path = what.plan === undefined ? undefined : await stepsPath(old, what.plan, options, source)
  if (!(await mayFork(what, path, options, terminal))) return EXIT.cancelled
  const steps = isElsewhere || shown.approval !== 'none' ? NO_STEPS : await stepsFor(forking, what, { path, source })
  const doorbell = new Doorbell()
  const keelson = await openExisting(options, {
    steps: steps.functions,
    ...(steps.path === undefined ? {} : { stepsModule: steps.path }),
    ...outside(options, source),
    ...(await engineOfRun(old, options)),
    onProgress: (runKey) => doorbell.ring(runKey),
  })
  try {
    for (const warning of await forkWarnings(await keelson.run(old.runId)))
      terminal.errorLine(`${terminal.errorPaint.yellow('!')} ${warning}`)
    const handle = await forkIt(keelson, forking, what, shown)
    if (handle === undefined) return EXIT.cancelled
    remember(
      handle,
      { plan: what.plan?.file.path ?? source?.plan, steps: steps.path ?? source?.steps, source },
      options,
    )
    // Nobody drives it before it is approved.
    if (isQueued(handle.row)) return tellQueued(handle, options, terminal)
    const left = handle.existed && !isTerminalRun(handle.row.status) && !isDriven(handle.row)
    if (left) await keelson.adopt(handle.runId)
    const code = await driveOne({ keelson, handle, doorbell, leavesStill: false, isElsewhere, options, terminal })
    await anchorHeads(keelson, options, terminal)
    return code
  } finally {
    await keelson.close()
  }
}

/** With another plan it is shown before the question. A run that then waits in the queue is started by others, with their code. */
async function lookBefore({ row, options, terminal }: Forking, what: WhatToFork): Promise<ForkPreview> {
  const keelson = await openToExamine(options)
  try {
    const preview = await keelson.previewFork(row.runId, what.fork)
    if (what.plan !== undefined && !options.json) tellOther(preview, what, terminal)
    return preview
  } finally {
    await keelson.close()
  }
}

async function stepsFor(
  { row, options }: Forking,
  { plan }: WhatToFork,
  { path, source }: { readonly path: string | undefined; readonly source: Source | undefined },
): Promise<StepsFile> {
  return plan === undefined ? stepsOfRun(row, options, source) : stepsOfPlan(plan, path)
}

/** Undefined when the plans beside the new one change what was shown, and the person says no to that. */
async function forkIt(
  keelson: Keelson,
  { row, signalId, options, terminal }: Forking,
  what: WhatToFork,
  shown: ForkPreview,
): Promise<RunHandle | undefined> {
  const { plan, fork } = what
  const versions = new VersionKeeper(options, terminal, { isTrial: true })
  if (plan !== undefined && plan.name === undefined)
    for (const { compiled } of plan.children) await versions.keep(compiled, (how) => keelson.publish(compiled, how))
  const preview = await keelson.previewFork(row.runId, fork)
  const isAsShown = JSON.stringify(forkPreviewJson(preview)) === JSON.stringify(forkPreviewJson(shown))
  if (plan !== undefined && !isAsShown) {
    if (!options.json) tellForkPreview(preview, terminal)
    if (!(await mayFork(what, undefined, options, terminal))) return undefined
  }
  const actorId = options.text('as')
  const asked = {
    ...fork,
    ...(actorId === undefined ? {} : { actorId }),
    ...(signalId === undefined ? {} : { signalId }),
    ...(options.flag('repeatIrreversible') ? { repeatIrreversible: true } : {}),
  }
  const handle =
    plan === undefined
      ? await keelson.fork(row.runId, asked)
      : await versions.keep(plan.file.compiled, (how) => keelson.fork(row.runId, { ...asked, ...how }))
  if (plan === undefined && !options.json) tellForkPreview(preview, terminal)
  return handle
}

interface ComesFrom {
  readonly plan: string | undefined
  readonly steps: string | undefined
  readonly source: Source | undefined
}

function remember({ row }: RunHandle, { plan, steps, source }: ComesFrom, options: Options): void {
  if (plan === undefined) return
  rememberSource(options.dir, row, {
    plan,
    ...(steps === undefined ? {} : { steps }),
    allow: allowedHosts(options, source),
    secrets: allowedSecrets(options, source),
  })
}
