/** `keelson run`: compile, check, start, and show the run to its end. It drives its own run and no other (P-30). */
import { dirname } from 'node:path'
import { isTerminalRun } from '../../../core/run/transitions.ts'
import { openKeelson, type Keelson, type RunHandle } from '../../../main.ts'
import { checkHandlers } from '../check-handlers.ts'
import { anchorHeads } from '../anchor-heads.ts'
import type { Call } from '../command.ts'
import { driveOne } from '../drive-one.ts'
import { isDriven } from '../run-lease.ts'
import { Doorbell } from '../follow.ts'
import { childPlanFiles, readPlanFile, type PlanFile } from '../plan-file.ts'
import { readInput } from '../run-input.ts'
import { allowedHosts, outside } from '../outside.ts'
import { rememberSource, type Source } from '../sources.ts'
import { findStepsFile, loadSteps } from '../steps-file.ts'

export async function run({ args, options, terminal }: Call): Promise<number> {
  const file = readPlanFile(args[0] ?? '')
  const children = childPlanFiles(file)
  const input = readInput(options.text('input'), options.list('set'))
  const steps = await loadSteps(findStepsFile(options.text('steps'), [dirname(file.path), '.']))
  checkHandlers([file, ...children], steps)
  const source: Source = {
    plan: file.path,
    ...(steps.path === undefined ? {} : { steps: steps.path }),
    allow: allowedHosts(options),
  }
  const doorbell = new Doorbell()
  const keelson = await openKeelson({
    steps: steps.functions,
    ...(steps.path === undefined ? {} : { stepsModule: steps.path }),
    ...outside(options, source),
    directory: options.dir,
    adopt: false,
    onProgress: (runKey) => doorbell.ring(runKey),
  })
  try {
    await publish(keelson, children)
    const requestId = options.text('requestId')
    const handle = await keelson.start(file.compiled, input, requestId === undefined ? {} : { requestId })
    if (!handle.existed) rememberSource(options.dir, handle.row, source)
    await takeUp(keelson, handle)
    const code = await driveOne({ keelson, handle, doorbell, interrupt: 'cancel', options, terminal })
    await anchorHeads(keelson, terminal)
    return code
  } finally {
    await keelson.close()
  }
}

async function publish(keelson: Keelson, files: readonly PlanFile[]): Promise<void> {
  for (const { compiled } of files) {
    const { planId, planVersion } = compiled.plan.metadata
    await keelson.services.store.putPlan({ sha256: compiled.sha256, planId, planVersion, text: compiled.text })
  }
}

/** The request may have been made before and its run left: then it goes on here, unless somebody else has it. */
async function takeUp(keelson: Keelson, handle: RunHandle): Promise<void> {
  if (!handle.existed || isTerminalRun(handle.row.status) || isDriven(handle.row)) return
  await keelson.adopt(handle.runId)
}
