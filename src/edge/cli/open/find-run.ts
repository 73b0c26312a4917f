/** A run as people name it: its whole id, at least four of its first characters, or `last`. */
import { fail, KeelsonError } from '../../../core/problems/problem.ts'
import type { ListFilter, RunRow } from '../../../ports/run-store.ts'

const SHORTEST = 4

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
  const whole = await runOfId(keelson, name)
  if (whole !== undefined) return whole
  if (name.length < SHORTEST)
    fail('USAGE', `'${name}' is too short to name a run; give four characters of its id or more`)
  const found: RunRow[] = []
  for await (const row of allRuns(keelson)) if (beginsWith(row, name)) found.push(row)
  const [first, second] = found
  if (first === undefined) return fail('RUN_NOT_FOUND', `no run's id is '${name}' or begins with it`)
  if (second !== undefined) {
    const ids = found.slice(0, 5).map((row) => row.runId)
    return fail(
      'USAGE',
      `${found.length} runs have an id that begins with '${name}': ${ids.join(', ')}; give more characters`,
    )
  }
  return keelson.run(first.runId)
}

/** Ids that a program gave are of any length and case; one may be the beginning of another. */
async function runOfId<H>(keelson: RunSource<H>, name: string): Promise<H | undefined> {
  if (name === '') return undefined
  try {
    return await keelson.run(name)
  } catch (thrown) {
    if (thrown instanceof KeelsonError && thrown.code === 'RUN_NOT_FOUND') return undefined
    throw thrown
  }
}

/** Our own ids are in lower case, whatever somebody types. */
function beginsWith({ runId }: RunRow, name: string): boolean {
  return runId.startsWith(name) || runId.startsWith(name.toLowerCase())
}

/** The newest run that a user started: child runs and undoing runs were started by other runs. */
async function newest<H>(keelson: RunSource<H>): Promise<H> {
  for await (const row of allRuns(keelson)) if (row.parent === undefined) return keelson.run(row.runId)
  return fail('RUN_NOT_FOUND', 'there are no runs here yet')
}
