/** `keelson fork`: a new run from an ended one's results, shown to its end like any other. */
import type { RunRow } from '../../../ports/run-store.ts'
import { anchorHeads } from '../anchor-heads.ts'
import type { Call } from '../command.ts'
import { driveOne } from '../drive-one.ts'
import { findRun } from '../find-run.ts'
import { Doorbell } from '../follow.ts'
import { openExisting } from '../session.ts'
import { recallSource, rememberSource } from '../sources.ts'
import { findStepsFile, loadSteps } from '../steps-file.ts'

export async function fork({ args, options, terminal }: Call): Promise<number> {
  const old = await lookUp(options.dir, args[0] ?? '')
  const source = recallSource(options.dir, old)
  const path = findStepsFile(options.text('steps') ?? source?.steps, ['.'])
  const steps = await loadSteps(path)
  const doorbell = new Doorbell()
  const keelson = await openExisting(options.dir, {
    steps: steps.functions,
    onProgress: (runKey) => doorbell.ring(runKey),
  })
  try {
    const from = options.text('from')
    const handle = await keelson.fork(old.runId, from === undefined ? {} : { from })
    if (source !== undefined)
      rememberSource(options.dir, handle.row, { ...source, ...(path === undefined ? {} : { steps: path }) })
    const code = await driveOne({ keelson, handle, doorbell, interrupt: 'cancel', options, terminal })
    await anchorHeads(keelson, terminal)
    return code
  } finally {
    await keelson.close()
  }
}

async function lookUp(directory: string, name: string): Promise<RunRow> {
  const keelson = await openExisting(directory)
  try {
    return (await findRun(keelson, name)).row
  } finally {
    await keelson.close()
  }
}
