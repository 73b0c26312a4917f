/** Schedules: their text, and when somebody must look at them. */
import type { ScheduleStore, StoredSchedule } from '../../../ports/schedules.ts'
import type { Connection } from './connect.ts'
import { number, text, type Columns } from './run-row.ts'
import { requireTenant } from './scope.ts'

const INSERT = `INSERT INTO schedules (tenant_id, schedule_id, revision, due_at, body) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (tenant_id, schedule_id) DO NOTHING`
const UPDATE = `UPDATE schedules SET revision = ?3, due_at = ?4, body = ?5
  WHERE tenant_id = ?1 AND schedule_id = ?2 AND revision = ?3 - 1`
const FIND = 'SELECT * FROM schedules WHERE tenant_id = ? AND schedule_id = ?'
const LIST = 'SELECT * FROM schedules WHERE tenant_id = ? AND schedule_id > ? ORDER BY schedule_id LIMIT ?'
const DELETE = 'DELETE FROM schedules WHERE tenant_id = ? AND schedule_id = ?'
const DUE = `SELECT * FROM schedules WHERE due_at IS NOT NULL AND due_at <= ?
  ORDER BY due_at, tenant_id, schedule_id LIMIT ?`
const NEXT = 'SELECT due_at FROM schedules WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1'

type Value = string | number | null

export function schedulesOf(connection: Connection): ScheduleStore {
  const changes = async (sql: string, ...values: readonly Value[]): Promise<boolean> =>
    connection.write(() => Number(connection.sql(sql).run(...values).changes) > 0)
  const rows = async (sql: string, ...values: readonly Value[]): Promise<readonly Columns[]> =>
    connection.read(() => connection.sql(sql).all(...values))
  return {
    putSchedule: async ({ tenantId, scheduleId, revision, dueAt = null, body }) =>
      changes(revision === 1 ? INSERT : UPDATE, requireTenant(tenantId), scheduleId, revision, dueAt, body),
    findSchedule: async (tenantId, scheduleId) =>
      (await rows(FIND, requireTenant(tenantId), scheduleId)).map(scheduleOf)[0],
    listSchedules: async (tenantId, after, limit) =>
      (await rows(LIST, requireTenant(tenantId), after, limit)).map(scheduleOf),
    deleteSchedule: async (tenantId, scheduleId) => changes(DELETE, requireTenant(tenantId), scheduleId),
    dueSchedules: async (now, limit) => (await rows(DUE, now, limit)).map(scheduleOf),
    nextScheduleDue: async () => (await rows(NEXT)).map((row) => number(row, 'due_at'))[0],
  }
}

function scheduleOf(row: Columns): StoredSchedule {
  return {
    tenantId: text(row, 'tenant_id'),
    scheduleId: text(row, 'schedule_id'),
    revision: number(row, 'revision'),
    ...(row['due_at'] === null ? {} : { dueAt: number(row, 'due_at') }),
    body: text(row, 'body'),
  }
}
