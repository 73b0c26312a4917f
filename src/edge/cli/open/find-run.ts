/** A run as people name it: its whole id, at least four of its first characters, or `last`. */
import { fail } from '../../../core/problems/problem.ts'
import type { ListFilter, RunRow } from '../../../ports/run-store.ts'

const SHORTEST = 4
const WHOLE_ID_CHARS = 36

/** A Keelson, or what only reads. */
export interface RunSource<H> {
  run(runId: string): Promise<H>
  runs(filter?: ListFilter): AsyncGenerator<RunRow, void>
}

export async function* allRuns(
  keelson: Pick<RunSource<unknown>, 'runs'>,
  filter: ListFilter = {},
): AsyncGenerator<RunRow> {
  yield* keelson.runs(filter)
}

export async function findRun<H>(keelson: RunSource<H>, name: string): Promise<H> {
  if (name === 'last') return newest(keelson)
  if (name.length >= WHOLE_ID_CHARS) return keelson.run(name)
  const found: RunRow[] = []
  for await (const row of allRuns(keelson)) {
    // Runs that were imported have ids of any kind: short ones, and some that begin with another.
    if (row.runId === name) return keelson.run(name)
    if (row.runId.startsWith(name) || row.runId.startsWith(name.toLowerCase())) found.push(row)
  }
  if (name.length < SHORTEST)
    fail('USAGE', `'${name}' is too short to name a run; give four characters of its id or more`)
  const [first, second] = found
  if (first === undefined) return fail('RUN_NOT_FOUND', `no run's id begins with '${name}'`)
  if (second !== undefined) {
    const ids = found.slice(0, 5).map((row) => row.runId)
    return fail(
      'USAGE',
      `${found.length} runs have an id that begins with '${name}': ${ids.join(', ')}; give more characters`,
    )
  }
  return keelson.run(first.runId)
}

/** The newest run that a user started: child runs and undoing runs were started by other runs. */
async function newest<H>(keelson: RunSource<H>): Promise<H> {
  for await (const row of allRuns(keelson)) if (row.parent === undefined) return keelson.run(row.runId)
  return fail('RUN_NOT_FOUND', 'there are no runs here yet')
}
