/** Triggers, and their newest deliveries. */
import type { StoredDelivery, StoredTrigger, TriggerStore } from '../../../ports/triggers.ts'
import { number, text, type Columns } from './run-row.ts'
import { requireTenant } from './scope.ts'
import type { Session } from './session.ts'

const INSERT = `INSERT INTO keelson.triggers (tenant_id, name, address, revision, body) VALUES ($1, $2, $3, 1, $4)
  ON CONFLICT DO NOTHING RETURNING 1`
const UPDATE = `UPDATE keelson.triggers SET revision = $3::bigint, body = $4
  WHERE tenant_id = $1 AND name = $2 AND revision = $3::bigint - 1 RETURNING 1`
const FIND = 'SELECT * FROM keelson.triggers WHERE tenant_id = $1 AND name = $2'
const FIND_AT = 'SELECT * FROM keelson.triggers WHERE address = $1'
const LIST = 'SELECT * FROM keelson.triggers WHERE tenant_id = $1 AND name > $2 ORDER BY name LIMIT $3'
const DELETE = `WITH gone AS (DELETE FROM keelson.trigger_deliveries WHERE tenant_id = $1 AND name = $2)
  DELETE FROM keelson.triggers WHERE tenant_id = $1 AND name = $2 RETURNING 1`
const NOTE = `INSERT INTO keelson.trigger_deliveries (tenant_id, name, at, body) SELECT $1, $2, $3::bigint, $4
  WHERE EXISTS (SELECT 1 FROM keelson.triggers WHERE tenant_id = $1 AND name = $2)`
const TRIM = `DELETE FROM keelson.trigger_deliveries WHERE tenant_id = $1 AND name = $2 AND delivery_pos <= (SELECT delivery_pos
  FROM keelson.trigger_deliveries WHERE tenant_id = $1 AND name = $2 ORDER BY delivery_pos DESC LIMIT 1 OFFSET $3)`
const DELIVERIES = `SELECT at, body FROM keelson.trigger_deliveries WHERE tenant_id = $1 AND name = $2
  ORDER BY delivery_pos DESC LIMIT $3`

export function triggersOf(session: Session): TriggerStore {
  const rows = (sql: string, ...values: readonly unknown[]): Promise<readonly Columns[]> => session.query(sql, values)
  const changes = async (sql: string, ...values: readonly unknown[]): Promise<boolean> =>
    (await rows(sql, ...values)).length > 0
  return {
    putTrigger: async ({ tenantId, name, address, revision, body }) =>
      revision === 1
        ? changes(INSERT, requireTenant(tenantId), name, address, body)
        : changes(UPDATE, requireTenant(tenantId), name, revision, body),
    findTrigger: async (tenantId, name) => (await rows(FIND, requireTenant(tenantId), name)).map(triggerOf)[0],
    findTriggerAt: async (address) => (await rows(FIND_AT, address)).map(triggerOf)[0],
    listTriggers: async (tenantId, after, limit) =>
      (await rows(LIST, requireTenant(tenantId), after, limit)).map(triggerOf),
    deleteTrigger: async (tenantId, name) => changes(DELETE, requireTenant(tenantId), name),
    noteDelivery: async (tenantId, name, { at, body }, keep) => {
      await rows(NOTE, requireTenant(tenantId), name, at, body)
      await rows(TRIM, tenantId, name, keep)
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
