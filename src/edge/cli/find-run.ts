/** A run as people name it: its whole id, four or more of its first characters, or `last`. */
import { fail } from '../../core/problems/problem.ts'
import type { Keelson, RunHandle } from '../../main.ts'
import type { ListFilter, RunRow } from '../../ports/run-store.ts'

const SHORTEST = 4
const WHOLE_ID_CHARS = 36

export async function* allRuns(keelson: Keelson, filter: ListFilter = {}): AsyncGenerator<RunRow> {
  yield* keelson.runs(filter)
}

export async function findRun(keelson: Keelson, name: string): Promise<RunHandle> {
  if (name === 'last') return newest(keelson)
  if (name.length >= WHOLE_ID_CHARS) return keelson.run(name)
  if (name.length < SHORTEST)
    fail('USAGE', `'${name}' is too short to name a run; give four characters of its id or more`)
  const found: RunRow[] = []
  for await (const row of allRuns(keelson)) if (row.runId.startsWith(name.toLowerCase())) found.push(row)
  const [first, second] = found
  if (first === undefined) return fail('RUN_NOT_FOUND', `no run's id begins with '${name}'`)
  if (second !== undefined) {
    const ids = found.slice(0, 5).map((row) => row.runId)
    return fail('USAGE', `'${name}' begins the ids of ${found.length} runs: ${ids.join(', ')}; give more characters`)
  }
  return keelson.run(first.runId)
}

/** The newest that somebody started: a child run, or one that undoes it, came of another. */
async function newest(keelson: Keelson): Promise<RunHandle> {
  for await (const row of allRuns(keelson)) if (row.parent === undefined) return keelson.run(row.runId)
  return fail('RUN_NOT_FOUND', 'there are no runs here yet')
}
