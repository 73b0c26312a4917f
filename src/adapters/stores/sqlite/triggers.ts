/** Triggers, and their newest deliveries. */
import type { StoredDelivery, StoredTrigger, TriggerStore } from '../../../ports/triggers.ts'
import type { Connection } from './connect.ts'
import { number, text, type Columns } from './run-row.ts'
import { requireTenant } from './scope.ts'

const INSERT = `INSERT INTO triggers (tenant_id, name, address, revision, body) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`
const UPDATE = `UPDATE triggers SET revision = ?3, body = ?4 WHERE tenant_id = ?1 AND name = ?2 AND revision = ?3 - 1`
const FIND = 'SELECT * FROM triggers WHERE tenant_id = ? AND name = ?'
const FIND_AT = 'SELECT * FROM triggers WHERE address = ?'
const LIST = 'SELECT * FROM triggers WHERE tenant_id = ? AND name > ? ORDER BY name LIMIT ?'
const DELETE = 'DELETE FROM triggers WHERE tenant_id = ? AND name = ?'
const FORGET = 'DELETE FROM trigger_deliveries WHERE tenant_id = ? AND name = ?'
const NOTE = `INSERT INTO trigger_deliveries (tenant_id, name, at, body) SELECT ?1, ?2, ?3, ?4
  WHERE EXISTS (SELECT 1 FROM triggers WHERE tenant_id = ?1 AND name = ?2)`
const TRIM = `DELETE FROM trigger_deliveries WHERE tenant_id = ?1 AND name = ?2 AND delivery_pos <= (SELECT delivery_pos
  FROM trigger_deliveries WHERE tenant_id = ?1 AND name = ?2 ORDER BY delivery_pos DESC LIMIT 1 OFFSET ?3)`
const DELIVERIES = `SELECT at, body FROM trigger_deliveries WHERE tenant_id = ? AND name = ?
  ORDER BY delivery_pos DESC LIMIT ?`

type Value = string | number | null

export function triggersOf(connection: Connection): TriggerStore {
  const run = (sql: string, ...values: readonly Value[]): boolean =>
    Number(connection.sql(sql).run(...values).changes) > 0
  const rows = async (sql: string, ...values: readonly Value[]): Promise<readonly Columns[]> =>
    connection.read(() => connection.sql(sql).all(...values))
  return {
    putTrigger: async ({ tenantId, name, address, revision, body }) => {
      requireTenant(tenantId)
      return connection.write(() =>
        revision === 1 ? run(INSERT, tenantId, name, address, 1, body) : run(UPDATE, tenantId, name, revision, body),
      )
    },
    findTrigger: async (tenantId, name) => (await rows(FIND, requireTenant(tenantId), name)).map(triggerOf)[0],
    findTriggerAt: async (address) => (await rows(FIND_AT, address)).map(triggerOf)[0],
    listTriggers: async (tenantId, after, limit) =>
      (await rows(LIST, requireTenant(tenantId), after, limit)).map(triggerOf),
    deleteTrigger: async (tenantId, name) => {
      requireTenant(tenantId)
      return connection.write(() => {
        run(FORGET, tenantId, name)
        return run(DELETE, tenantId, name)
      })
    },
    noteDelivery: async (tenantId, name, { at, body }, keep) => {
      requireTenant(tenantId)
      await connection.write(() => {
        run(NOTE, tenantId, name, at, body)
        run(TRIM, tenantId, name, keep)
      })
    },
    listDeliveries: async (tenantId, name, limit) =>
      (await rows(DELIVERIES, requireTenant(tenantId), name, limit)).map(deliveryOf),
  }
}

function triggerOf(row: Columns): StoredTrigger {
  return {
    tenantId: text(row, 'tenant_id'),
    name: text(row, 'name'),
    address: text(row, 'address'),
    revision: number(row, 'revision'),
    body: text(row, 'body'),
  }
}

function deliveryOf(row: Columns): StoredDelivery {
  return { at: number(row, 'at'), body: text(row, 'body') }
}
