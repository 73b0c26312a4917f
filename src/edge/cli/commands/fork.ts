/** `keelson fork`: a new run from the results of an ended one, shown to its end like any other. */
import type { RunRow } from '../../../ports/run-store.ts'
import type { Call } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { findRun } from '../open/find-run.ts'
import { forkAndDrive } from '../drive/fork-and-drive.ts'
import { tellOther, whatToFork } from '../drive/other-fork.ts'
import { forkPreviewJson } from '../output/fork-preview.ts'
import { serverUrl, type Place } from '../files/place.ts'
import { openExisting } from '../open/session.ts'

export async function fork(call: Call): Promise<number> {
  const { args, options, terminal } = call
  if (serverUrl(options) !== undefined) return (await import('../afar/fork-afar.ts')).forkAfar(call)
  if (options.flag('preview') || options.flag('dryRun')) return preview({ args, options, terminal })
  return forkAndDrive({ row: await lookUp(options, args[0] ?? ''), options, terminal })
}

async function lookUp(place: Place, name: string): Promise<RunRow> {
  const keelson = await openExisting(place)
  try {
    return (await findRun(keelson, name)).row
  } finally {
    await keelson.close()
  }
}

async function preview({ args, options, terminal }: Pick<Call, 'args' | 'options' | 'terminal'>): Promise<number> {
  const what = await whatToFork(options)
  const keelson = await openExisting(options)
  try {
    const { row } = await findRun(keelson, args[0] ?? '')
    const found = await keelson.previewFork(row.runId, what.fork)
    if (options.json) terminal.json(forkPreviewJson(found))
    else tellOther(found, what, terminal)
    return EXIT.completed
  } finally {
    await keelson.close()
  }
}
