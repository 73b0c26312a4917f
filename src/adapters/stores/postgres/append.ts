/**
 * The commit (P-08): one call of `keelson.commit_runs` for the batch, which is one round trip and one transaction. A run
 * whose row somebody else holds is passed over and committed afterwards in a transaction of its own, which waits for the
 * row. A broken constraint takes the batch back, and its runs are committed one by one (P-09).
 */
import type { Clock } from '../../../ports/clock.ts'
import type { GrantRefusal } from '../../../ports/grants.ts'
import type { CommitResult, RunCommit } from '../../../ports/run-store.ts'
import { commitValues, type CommitSettings } from './commit-values.ts'
import { eventParameters } from './insert-events.ts'
import { brokenConstraint } from './failure.ts'
import { number, text, type Columns } from './run-row.ts'
import { requireTenant } from './scope.ts'
import type { Sessions } from './session.ts'

const COMMIT = `SELECT place, verdict, detail, run_key, at FROM keelson.commit_runs($1, $2, $3::bigint[], $4::bigint[],
  $5::bigint[], $6::text[], $7::jsonb, $8::jsonb, $9::jsonb, $10::integer[], ${eventParameters(11)}) ORDER BY place`
const SET_ENGINE = 'UPDATE keelson.runs SET engine_type = $2, engine_run_ref = $3 WHERE run_key = $1'

export async function commit(
  connection: Sessions,
  batch: readonly RunCommit[],
  clock: Clock | undefined,
  callerClock: Clock | undefined,
): Promise<readonly CommitResult[]> {
  const times: Times = { clock, callers: callerClock?.now() ?? Date.now() }
  for (const { create, notify } of batch) {
    if (create !== undefined) requireTenant(create.tenantId)
    for (const { run } of notify ?? []) requireTenant(run.tenantId)
  }
  const results = new Map<RunCommit, CommitResult>()
  for (const turn of turnsOf(batch))
    for (const [index, result] of (await commitTurn(connection, turn, times)).entries()) {
      const one = turn[index]
      if (one !== undefined) results.set(one, result)
    }
  return batch.map((one) => results.get(one) ?? { kind: 'conflict' })
}

interface Times {
  readonly clock: Clock | undefined
  /** What the callers' clock said when they called. */
  readonly callers: number
}

function settingsOf({ clock, callers }: Times, wait: boolean): CommitSettings {
  return { wait, now: clock?.now(), callers }
}

/** A run that stands twice in a batch stands the second time on what the first left: there another transaction begins. */
function turnsOf(batch: readonly RunCommit[]): readonly (readonly RunCommit[])[] {
  const turns: RunCommit[][] = []
  const seen = new Set<number>()
  for (const one of batch) {
    const turn = turns.at(-1)
    if (turn === undefined || seen.has(one.runKey ?? 0)) {
      turns.push([one])
      seen.clear()
    } else turn.push(one)
    if (one.runKey !== undefined) seen.add(one.runKey)
  }
  return turns
}

async function commitTurn(
  connection: Sessions,
  turn: readonly RunCommit[],
  times: Times,
): Promise<readonly CommitResult[]> {
  const [only] = turn
  if (turn.length === 1 && only !== undefined) return [await commitAlone(connection, only, times)]
  const together = await commitTogether(connection, turn, times)
  const results: CommitResult[] = []
  for (const [index, one] of turn.entries())
    results.push(together?.[index] ?? (await commitAlone(connection, one, times)))
  return results
}

/** Undefined in the place of a run that was passed over; undefined as a whole when a constraint took the batch back. */
async function commitTogether(
  connection: Sessions,
  turn: readonly RunCommit[],
  times: Times,
): Promise<readonly (CommitResult | undefined)[] | undefined> {
  try {
    const rows = await write(connection, turn, settingsOf(times, false))
    return rows.map(resultOf)
  } catch (error) {
    if (brokenConstraint(causeOf(error)) === undefined) throw error
    return undefined
  }
}

async function commitAlone(connection: Sessions, one: RunCommit, times: Times): Promise<CommitResult> {
  try {
    const [row = {}] = await write(connection, [one], settingsOf(times, true))
    return resultOf(row) ?? { kind: 'conflict' }
  } catch (error) {
    const detail = brokenConstraint(causeOf(error))
    if (detail === undefined) throw error
    return { kind: 'constraint', detail }
  }
}

/** A run seldom changes its engine: only a turn that does takes more than one round trip, still in one transaction. */
async function write(
  connection: Sessions,
  turn: readonly RunCommit[],
  settings: CommitSettings,
): Promise<readonly Columns[]> {
  const values = commitValues(turn, settings)
  if (turn.every(({ engine }) => engine === undefined)) return connection.query(COMMIT, values)
  return connection.transaction(async (transaction) => {
    const rows = await transaction.query(COMMIT, values)
    for (const [index, { engine }] of turn.entries()) {
      const result = resultOf(rows[index] ?? {})
      if (engine !== undefined && result?.kind === 'committed')
        await transaction.query(SET_ENGINE, [result.runKey, engine.engineType, engine.engineRunRef])
    }
    return rows
  })
}

function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error
}

function resultOf(row: Columns): CommitResult | undefined {
  const verdict = text(row, 'verdict')
  if (verdict === 'write') return { kind: 'committed', runKey: number(row, 'run_key'), persistedAt: number(row, 'at') }
  if (verdict === 'constraint') return { kind: verdict, detail: text(row, 'detail') }
  if (verdict === 'request-exists') return { kind: verdict, runId: text(row, 'detail') }
  if (verdict === 'ungranted') return { kind: verdict, refused: JSON.parse(text(row, 'detail')) as GrantRefusal[] }
  return verdict === 'conflict' || verdict === 'run-exists' ? { kind: verdict } : undefined
}
