/**
 * The commit (P-08): one call of `keelson.commit_runs` for the batch, which is one round trip and one transaction. A
 * run whose row is locked elsewhere is skipped; all that were skipped are committed afterwards in one transaction, which waits for
 * their rows in the order of their keys. A broken constraint rolls the batch back, and its runs are committed one by one (P-09).
 */
import type { Clock } from '../../../ports/clock.ts'
import type { GrantRefusal } from '../../../ports/grants.ts'
import type { CommitResult, RunCommit } from '../../../ports/run-store.ts'
import { commitValues, type CommitSettings, type Written } from './commit-values.ts'
import { changeEventWaits, lockEventKeys } from './events.ts'
import { eventParameters } from './insert-events.ts'
import { brokenConstraint } from './failure.ts'
import { insertLabels } from './labels.ts'
import { isPlain, writePlain } from './plain-commit.ts'
import { number, text, type Columns } from './run-row.ts'
import { requireTenant } from './scope.ts'
import type { Sessions, Transaction } from './session.ts'

const COMMIT = `SELECT place, verdict, detail, run_key, at FROM keelson.commit_runs($1, $2, $3::bigint[], $4::bigint[],
  $5::bigint[], $6::text[], $7::jsonb, $8::jsonb, $9::jsonb, $10::integer[], ${eventParameters(11)}) ORDER BY place`
const SAME_WAKE = `SELECT 1 FROM keelson.runs WHERE run_key = $1 AND next_wake_at IS NOT DISTINCT FROM $2::bigint
  FOR NO KEY UPDATE`
const SET_ENGINES = `UPDATE keelson.runs SET engine_type = m.engine_type, engine_run_ref = m.engine_run_ref
  FROM jsonb_to_recordset($1::jsonb) AS m(key bigint, engine_type text, engine_run_ref text) WHERE run_key = m.key`

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
  /** The callers' clock at the time of the call. */
  readonly callers: number
}

function settingsOf({ clock, callers }: Times, wait: boolean): CommitSettings {
  return { wait, now: clock?.now(), callers }
}

/**
 * The second commit of a run in a batch builds on the first: there a new transaction begins. The same holds for a
 * commit that checks more of its row than `commit_runs` compares.
 */
function turnsOf(batch: readonly RunCommit[]): readonly (readonly RunCommit[])[] {
  const turns: RunCommit[][] = []
  const seen = new Set<number>()
  for (const one of batch) {
    const turn = turns.at(-1)
    const last = turn?.at(-1)
    const isApart = one.expected.nextWakeAt !== undefined || last?.expected.nextWakeAt !== undefined
    if (turn === undefined || isApart || seen.has(one.runKey ?? 0)) {
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
  const answers = new Map<RunCommit, CommitResult>()
  const isWhole = await commitTogether(connection, turn, settingsOf(times, false), answers)
  const skipped = turn.filter((one) => !answers.has(one))
  // Many may have been skipped for one row, such as that of their parent.
  if (isWhole && skipped.length > 1) await commitTogether(connection, skipped, settingsOf(times, true), answers)
  const results: CommitResult[] = []
  for (const one of turn) results.push(answers.get(one) ?? (await commitAlone(connection, one, times)))
  return results
}

/** A skipped run gets no answer. False, and no answers, when a constraint rolled the batch back. */
async function commitTogether(
  connection: Sessions,
  turn: readonly RunCommit[],
  settings: CommitSettings,
  answers: Map<RunCommit, CommitResult>,
): Promise<boolean> {
  try {
    const rows = await write(connection, turn, settings)
    for (const [index, one] of turn.entries()) {
      const result = resultOf(rows[index] ?? {})
      if (result !== undefined) answers.set(one, result)
    }
    return true
  } catch (error) {
    if (brokenConstraint(causeOf(error)) === undefined) throw error
    return false
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

/**
 * A run seldom changes its engine, waits for events, has labels or only waits: only then there is more than one round trip, still in one
 * transaction, and one for each of these, however many runs have it.
 */
async function write(
  connection: Sessions,
  turn: readonly RunCommit[],
  settings: CommitSettings,
): Promise<readonly Columns[]> {
  const [only] = turn
  if (turn.length === 1 && only !== undefined && isPlain(only)) return writePlain(connection, only, settings.now)
  const values = commitValues(turn, settings)
  const isOneCall = ({ engine, expected, eventWaits, labels }: RunCommit): boolean =>
    engine === undefined && expected.nextWakeAt === undefined && eventWaits === undefined && labels === undefined
  if (turn.every(isOneCall)) return connection.query(COMMIT, values)
  return connection.transaction(async (transaction) => {
    await lockEventKeys(transaction, turn, settings.now)
    for (const { runKey, expected } of turn)
      if (expected.nextWakeAt !== undefined) {
        const same = await transaction.query(SAME_WAKE, [runKey, expected.nextWakeAt])
        if (same.length === 0) return [{ verdict: 'conflict' }]
      }
    const rows = await transaction.query(COMMIT, values)
    const written = turn.flatMap((one, index): Written[] => {
      const result = resultOf(rows[index] ?? {})
      return result?.kind === 'committed' ? [{ one, runKey: result.runKey, at: result.persistedAt }] : []
    })
    await changeEventWaits(transaction, written)
    await insertLabels(transaction, written)
    await setEngines(transaction, written)
    return rows
  })
}

async function setEngines(transaction: Transaction, written: readonly Written[]): Promise<void> {
  const moves = written.flatMap(({ one: { engine }, runKey }) =>
    engine === undefined ? [] : [{ key: runKey, engine_type: engine.engineType, engine_run_ref: engine.engineRunRef }],
  )
  if (moves.length > 0) await transaction.query(SET_ENGINES, [JSON.stringify(moves)])
}

type Unread = Omit<Extract<CommitResult, { kind: 'unread' }>, 'kind'>

function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause !== undefined ? error.cause : error
}

function resultOf(row: Columns): CommitResult | undefined {
  const verdict = text(row, 'verdict')
  if (verdict === 'write') return { kind: 'committed', runKey: number(row, 'run_key'), persistedAt: number(row, 'at') }
  if (verdict === 'constraint') return { kind: verdict, detail: text(row, 'detail') }
  if (verdict === 'request-exists') return { kind: verdict, runId: text(row, 'detail') }
  if (verdict === 'unread') return { kind: verdict, ...(JSON.parse(text(row, 'detail')) as Unread) }
  if (verdict === 'ungranted') return { kind: verdict, refused: JSON.parse(text(row, 'detail')) as GrantRefusal[] }
  return verdict === 'conflict' || verdict === 'run-exists' ? { kind: verdict } : undefined
}
