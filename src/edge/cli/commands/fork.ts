/** `keelson fork`: a new run from an ended one's results, shown to its end like any other. */
import type { RunRow } from '../../../ports/run-store.ts'
import type { Call } from '../command.ts'
import { findRun } from '../find-run.ts'
import { forkAndDrive } from '../fork-and-drive.ts'
import type { Place } from '../place.ts'
import { openExisting } from '../session.ts'

export async function fork({ args, options, terminal }: Call): Promise<number> {
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
