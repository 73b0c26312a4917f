/** Schedules: their text, and when somebody must look at them. */
import type { ScheduleStore, StoredSchedule } from '../../../ports/schedules.ts'
import { number, text, type Columns } from './run-row.ts'
import { requireTenant } from './scope.ts'
import type { Session } from './session.ts'

const INSERT = `INSERT INTO keelson.schedules (tenant_id, schedule_id, revision, due_at, body) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT DO NOTHING RETURNING 1`
const UPDATE = `UPDATE keelson.schedules SET revision = $3::bigint, due_at = $4, body = $5
  WHERE tenant_id = $1 AND schedule_id = $2 AND revision = $3::bigint - 1 RETURNING 1`
const FIND = 'SELECT * FROM keelson.schedules WHERE tenant_id = $1 AND schedule_id = $2'
const LIST = 'SELECT * FROM keelson.schedules WHERE tenant_id = $1 AND schedule_id > $2 ORDER BY schedule_id LIMIT $3'
const DELETE = 'DELETE FROM keelson.schedules WHERE tenant_id = $1 AND schedule_id = $2 RETURNING 1'
const DUE = `SELECT * FROM keelson.schedules WHERE due_at IS NOT NULL AND due_at <= $1
  ORDER BY due_at, tenant_id COLLATE "C", schedule_id LIMIT $2`
const NEXT = 'SELECT due_at FROM keelson.schedules WHERE due_at IS NOT NULL ORDER BY due_at LIMIT 1'

export function schedulesOf(session: Session): ScheduleStore {
  const rows = (sql: string, ...values: readonly unknown[]): Promise<readonly Columns[]> => session.query(sql, values)
  const changes = async (sql: string, ...values: readonly unknown[]): Promise<boolean> =>
    (await rows(sql, ...values)).length > 0
  return {
    putSchedule: async ({ tenantId, scheduleId, revision, dueAt, body }) =>
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
