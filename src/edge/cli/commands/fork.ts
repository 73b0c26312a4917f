/** `keelson fork`: a new run from an ended one's results, shown to its end like any other. */
import { openExisting } from '../session.ts'
import type { Call } from '../command.ts'
import { driveOne } from '../drive-one.ts'
import { findRun } from '../find-run.ts'
import { Doorbell } from '../follow.ts'
import { recallSource } from '../sources.ts'
import { findStepsFile, loadSteps } from '../steps-file.ts'

export async function fork({ args, options, terminal }: Call): Promise<number> {
  const { runId, planSha256 } = await lookUp(options.dir, args[0] ?? '')
  const path = findStepsFile(options.text('steps') ?? recallSource(options.dir, planSha256)?.steps, ['.'])
  const steps = await loadSteps(path)
  const doorbell = new Doorbell()
  const keelson = await openExisting(options.dir, {
    steps: steps.functions,
    onProgress: (runKey) => doorbell.ring(runKey),
  })
  try {
    const from = options.text('from')
    const handle = await keelson.fork(runId, from === undefined ? {} : { from })
    return await driveOne({ keelson, handle, doorbell, interrupt: 'cancel', options, terminal })
  } finally {
    await keelson.close()
  }
}

async function lookUp(
  directory: string,
  name: string,
): Promise<{ readonly runId: string; readonly planSha256: string }> {
  const keelson = await openExisting(directory)
  try {
    return (await findRun(keelson, name)).row
  } finally {
    await keelson.close()
  }
}
