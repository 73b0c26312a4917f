/** Operations on many runs: their text, when somebody must carry them on, and what came of each of their runs. */
import { fail } from '../../../core/problems/problem.ts'
import type {
  FleetCount,
  FleetOutcome,
  FleetPage,
  FleetRun,
  FleetStore,
  StoredOperation,
} from '../../../ports/fleet.ts'
import { number, text, type Columns } from './run-row.ts'
import { requireTenant } from './scope.ts'
import type { Session } from './session.ts'

/** One statement, and so one transaction. */
const CREATE = `WITH made AS (
    INSERT INTO keelson.operations (tenant_id, operation_id, revision, due_at, created_at, body) VALUES ($1, $2, 1, $3, $4, $5)
    ON CONFLICT DO NOTHING RETURNING 1),
  runs AS (
    INSERT INTO keelson.operation_runs (tenant_id, operation_id, place, run_id, outcome)
    SELECT $1, $2, r.place - 1, r.run_id, 'OPEN' FROM made, unnest($6::text[]) WITH ORDINALITY AS r(run_id, place))
  SELECT 1 FROM made`
const UPDATE = `UPDATE keelson.operations SET revision = $3::bigint, due_at = $4, body = $5
  WHERE tenant_id = $1 AND operation_id = $2 AND revision = $3::bigint - 1 RETURNING 1`
const FIND = 'SELECT * FROM keelson.operations WHERE tenant_id = $1 AND operation_id = $2'
const LIST = `SELECT * FROM keelson.operations WHERE tenant_id = $1 AND (created_at, operation_id) < ($2::bigint, $3::text)
  ORDER BY created_at DESC, operation_id DESC LIMIT $4`
const DUE = `SELECT * FROM keelson.operations WHERE due_at IS NOT NULL AND due_at <= $1
  ORDER BY due_at, tenant_id COLLATE "C", operation_id LIMIT $2`
const RUNS = `SELECT run_id, outcome, code FROM keelson.operation_runs
  WHERE tenant_id = $1 AND operation_id = $2 AND outcome = $3 ORDER BY place LIMIT $4`
const NOTE = `UPDATE keelson.operation_runs r SET outcome = n.outcome, code = n.code
  FROM unnest($3::text[], $4::text[], $5::text[]) AS n(run_id, outcome, code)
  WHERE r.tenant_id = $1 AND r.operation_id = $2 AND r.run_id = n.run_id AND r.outcome = 'OPEN'`
const COUNT = `SELECT outcome, code, count(*) AS runs FROM keelson.operation_runs WHERE tenant_id = $1 AND operation_id = $2
  GROUP BY outcome, code ORDER BY outcome COLLATE "C", code COLLATE "C" NULLS FIRST`

export function fleetOf(session: Session): FleetStore {
  const rows = (sql: string, ...values: readonly unknown[]): Promise<readonly Columns[]> => session.query(sql, values)
  const changes = async (sql: string, ...values: readonly unknown[]): Promise<boolean> =>
    (await rows(sql, ...values)).length > 0
  return {
    createOperation: async ({ tenantId, operationId, dueAt, createdAt, body }, runIds) =>
      changes(CREATE, requireTenant(tenantId), operationId, dueAt, createdAt, body, runIds),
    putOperation: async ({ tenantId, operationId, revision, dueAt, body }) =>
      changes(UPDATE, requireTenant(tenantId), operationId, revision, dueAt, body),
    findOperation: async (tenantId, operationId) =>
      (await rows(FIND, requireTenant(tenantId), operationId)).map(operationOf)[0],
    listOperations: async (tenantId, { limit, cursor }) => {
      const [createdAt, operationId] = placeOf(cursor)
      return pageOf(await rows(LIST, requireTenant(tenantId), createdAt, operationId, limit + 1), limit)
    },
    dueOperations: async (now, limit) => (await rows(DUE, now, limit)).map(operationOf),
    fleetRuns: async (tenantId, operationId, outcome, limit) =>
      (await rows(RUNS, requireTenant(tenantId), operationId, outcome, limit)).map(fleetRunOf),
    noteFleetRuns: async (tenantId, operationId, runs) => {
      const columns = [
        runs.map(({ runId }) => runId),
        runs.map(({ outcome }) => outcome),
        runs.map(({ code }) => code ?? null),
      ]
      await rows(NOTE, requireTenant(tenantId), operationId, ...columns)
    },
    countFleetRuns: async (tenantId, operationId) =>
      (await rows(COUNT, requireTenant(tenantId), operationId)).map(countOf),
  }
}

/** Before everything where there is no cursor. */
function placeOf(cursor: string | undefined): readonly [number, string] {
  if (cursor === undefined) return [Number.MAX_SAFE_INTEGER, '']
  const match = /^(\d{1,16})\.(.*)$/s.exec(Buffer.from(cursor, 'base64url').toString())
  if (match === null) return fail('LIST_CURSOR_INVALID', 'The cursor does not come from this list.')
  return [Number(match[1]), match[2] ?? '']
}

function pageOf(rows: readonly Columns[], limit: number): FleetPage {
  const operations = rows.slice(0, limit).map(operationOf)
  const last = operations.at(-1)
  if (last === undefined || rows.length <= limit) return { operations }
  return { operations, next: Buffer.from(`${last.createdAt}.${last.operationId}`).toString('base64url') }
}

function operationOf(row: Columns): StoredOperation {
  return {
    tenantId: text(row, 'tenant_id'),
    operationId: text(row, 'operation_id'),
    revision: number(row, 'revision'),
    ...(row['due_at'] === null ? {} : { dueAt: number(row, 'due_at') }),
    createdAt: number(row, 'created_at'),
    body: text(row, 'body'),
  }
}

function fleetRunOf(row: Columns): FleetRun {
  return { runId: text(row, 'run_id'), ...cameOf(row) }
}

function countOf(row: Columns): FleetCount {
  return { ...cameOf(row), runs: number(row, 'runs') }
}

function cameOf(row: Columns): Omit<FleetRun, 'runId'> {
  const outcome = text(row, 'outcome') as FleetOutcome
  return { outcome, ...(row['code'] === null ? {} : { code: text(row, 'code') }) }
}
