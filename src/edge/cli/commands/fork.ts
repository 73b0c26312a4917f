/** `keelson fork`: a new run from an ended one's results, shown to its end like any other. */
import type { RunRow } from '../../../ports/run-store.ts'
import type { Call } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { findRun } from '../find-run.ts'
import { forkAndDrive } from '../fork-and-drive.ts'
import { forkPreviewJson, tellForkPreview } from '../output/fork-preview.ts'
import type { Place } from '../place.ts'
import { openExisting } from '../session.ts'

export async function fork({ args, options, terminal }: Call): Promise<number> {
  if (options.flag('preview')) return preview({ args, options, terminal })
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
  const keelson = await openExisting(options)
  try {
    const { runId } = await findRun(keelson, args[0] ?? '')
    const from = options.text('from')
    const atSeq = options.whole('at')
    const found = await keelson.previewFork(runId, {
      ...(from === undefined ? {} : { from }),
      ...(atSeq === undefined ? {} : { atSeq }),
    })
    if (options.json) terminal.json(forkPreviewJson(found))
    else tellForkPreview(found, terminal)
    return EXIT.completed
  } finally {
    await keelson.close()
  }
}
