/** Live runs as a command wants them; and which of them are queued: admitted but not started. */
import { isForeign } from '../../../core/engine/engine-type.ts'
import { fail } from '../../../core/problems/problem.ts'
import { isTerminalRun } from '../../../core/run/state/transitions.ts'
import type { Keelson } from '../../../main.ts'
import type { RunRow } from '../../../ports/run-store.ts'
import { allRuns, findRun } from './find-run.ts'
import type { Place } from '../files/place.ts'
import { openExisting } from './session.ts'

/** Matching live runs, oldest first, or the named one. Includes children with their parents, and set-aside runs. */
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
  const handle = await findRun(keelson, name)
  const trouble = await handle.trouble()
  if (trouble !== undefined) throw trouble.error
  const { row } = handle
  if (isForeign(row)) fail('RUN_FOREIGN', `the log of run ${row.runId} was imported; nobody drives it here`)
  return isTerminalRun(row.status) ? [] : [row]
}

async function parentsOf(keelson: Keelson, status: readonly RunRow['status'][]): Promise<readonly RunRow[]> {
  const rows: RunRow[] = []
  for await (const row of allRuns(keelson, { status })) if (!isForeign(row)) rows.push(row)
  // A child of a run that was set aside has no other driver than us.
  const ids = new Set(rows.filter(({ quarantine }) => quarantine === undefined).map(({ runId }) => runId))
  return rows.reverse().filter(({ parent }) => parent === undefined || !ids.has(parent.runId))
}
