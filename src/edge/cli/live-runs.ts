/** Runs that have not ended, as a command wants them; and which of them are queued: admitted, and started by nobody yet. */
import { isTerminalRun } from '../../core/run/transitions.ts'
import type { Keelson } from '../../main.ts'
import type { RunRow } from '../../ports/run-store.ts'
import { allRuns, findRun } from './find-run.ts'
import type { Place } from './place.ts'
import { openExisting } from './session.ts'

/** Live runs that fit, oldest first, or the one that is named. Children come along with their parents. */
export async function liveRuns(
  place: Place,
  name: string | undefined,
  status: readonly RunRow['status'][],
): Promise<readonly RunRow[]> {
  const keelson = await openExisting(place)
  try {
    return name === undefined ? await parentsOf(keelson, status) : await namedRun(keelson, name)
  } finally {
    await keelson.close()
  }
}

async function namedRun(keelson: Keelson, name: string): Promise<readonly RunRow[]> {
  const { row } = await findRun(keelson, name)
  return isTerminalRun(row.status) ? [] : [row]
}

async function parentsOf(keelson: Keelson, status: readonly RunRow['status'][]): Promise<readonly RunRow[]> {
  const rows: RunRow[] = []
  for await (const row of allRuns(keelson, { status })) if (row.quarantine === undefined) rows.push(row)
  const ids = new Set(rows.map(({ runId }) => runId))
  return rows.reverse().filter(({ parent }) => parent === undefined || !ids.has(parent.runId))
}
