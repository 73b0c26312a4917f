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
import type { Connection } from './connect.ts'
import { number, text, type Columns } from './run-row.ts'
import { requireTenant } from './scope.ts'

const INSERT = `INSERT INTO operations (tenant_id, operation_id, revision, due_at, created_at, body) VALUES (?, ?, 1, ?, ?, ?)
  ON CONFLICT (tenant_id, operation_id) DO NOTHING`
const INSERT_RUN = `INSERT INTO operation_runs (tenant_id, operation_id, place, run_id, outcome) VALUES (?, ?, ?, ?, 'OPEN')`
const UPDATE = `UPDATE operations SET revision = ?3, due_at = ?4, body = ?5
  WHERE tenant_id = ?1 AND operation_id = ?2 AND revision = ?3 - 1`
const FIND = 'SELECT * FROM operations WHERE tenant_id = ? AND operation_id = ?'
const LIST = `SELECT * FROM operations WHERE tenant_id = ? AND (created_at, operation_id) < (?, ?)
  ORDER BY created_at DESC, operation_id DESC LIMIT ?`
const DUE = `SELECT * FROM operations WHERE due_at IS NOT NULL AND due_at <= ?
  ORDER BY due_at, tenant_id, operation_id LIMIT ?`
const RUNS = `SELECT run_id, outcome, code FROM operation_runs WHERE tenant_id = ? AND operation_id = ? AND outcome = ?
  ORDER BY place LIMIT ?`
const NOTE = `UPDATE operation_runs SET outcome = ?, code = ? WHERE tenant_id = ? AND operation_id = ? AND run_id = ?
  AND outcome = 'OPEN'`
const COUNT = `SELECT outcome, code, count(*) AS runs FROM operation_runs WHERE tenant_id = ? AND operation_id = ?
  GROUP BY outcome, code ORDER BY outcome, code`

type Value = string | number | null

export function fleetOf(connection: Connection): FleetStore {
  const rows = async (sql: string, ...values: readonly Value[]): Promise<readonly Columns[]> =>
    connection.read(() => connection.sql(sql).all(...values))
  const changes = (sql: string, ...values: readonly Value[]): boolean =>
    Number(connection.sql(sql).run(...values).changes) > 0
  return {
    createOperation: async ({ tenantId, operationId, dueAt = null, createdAt, body }, runIds) => {
      requireTenant(tenantId)
      return connection.write(() => {
        if (!changes(INSERT, tenantId, operationId, dueAt, createdAt, body)) return false
        for (const [place, runId] of runIds.entries()) changes(INSERT_RUN, tenantId, operationId, place, runId)
        return true
      })
    },
    putOperation: async ({ tenantId, operationId, revision, dueAt = null, body }) => {
      requireTenant(tenantId)
      return connection.write(() => changes(UPDATE, tenantId, operationId, revision, dueAt, body))
    },
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
      requireTenant(tenantId)
      await connection.write(() => {
        for (const { runId, outcome, code = null } of runs) changes(NOTE, outcome, code, tenantId, operationId, runId)
      })
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
