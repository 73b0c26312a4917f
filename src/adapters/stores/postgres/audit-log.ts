/** The audit log of each tenant (AUT-12): numbered from 1 without gaps, only ever added to. Writers wait for its head. */
import type { AuditHead, AuditLog, AuditRow, AuditType, SealedAudit } from '../../../ports/audit-log.ts'
import { bytes, number, text, type Columns } from './run-row.ts'
import { requireTenant } from './scope.ts'
import type { Session, Sessions } from './session.ts'
import { bigintArray, bytesArray, textArray } from './wire-array.ts'

const BEGIN = `INSERT INTO keelson.audit_heads (tenant_id, position, hash) VALUES ($1, 0, $2) ON CONFLICT DO NOTHING`
const HEAD = 'SELECT position, hash FROM keelson.audit_heads WHERE tenant_id = $1'
const LOCK = `${HEAD} FOR NO KEY UPDATE`
const MOVE = 'UPDATE keelson.audit_heads SET position = $2, hash = $3 WHERE tenant_id = $1'
const READ = 'SELECT * FROM keelson.audit_log WHERE tenant_id = $1 AND position > $2 ORDER BY position LIMIT $3'
const TENANTS = 'SELECT DISTINCT tenant_id FROM keelson.audit_log'
const APPEND = `INSERT INTO keelson.audit_log (tenant_id, position, type, at, record, hash, key_id, mac)
  SELECT $1, * FROM unnest($2::bigint[], $3::text[], $4::bigint[], $5::text[], $6::bytea[], $7::text[], $8::bytea[])`

const NO_HASH = new Uint8Array(32)

type Seal<E> = (entry: E, position: number, previous: Uint8Array) => SealedAudit

export function auditLogOf(connection: Sessions): AuditLog {
  return {
    appendAudit: async (tenantId, entries, seal) => {
      requireTenant(tenantId)
      return entries.length === 0 ? [] : connection.transaction((session) => append(session, tenantId, entries, seal))
    },
    readAudit: async (tenantId, after, limit) =>
      (await connection.query(READ, [requireTenant(tenantId), after, limit])).map(auditRow),
    auditHead: async (tenantId) => headOf(await connection.query(HEAD, [requireTenant(tenantId)])),
    auditTenants: async () => (await connection.query(TENANTS)).map((row) => text(row, 'tenant_id')),
  }
}

function headOf([row]: readonly Columns[]): AuditHead {
  if (row === undefined) return { position: 0, hash: NO_HASH }
  return { position: number(row, 'position'), hash: bytes(row, 'hash') }
}

async function append<E>(
  session: Session,
  tenantId: string,
  entries: readonly E[],
  seal: Seal<E>,
): Promise<readonly AuditRow[]> {
  await session.query(BEGIN, [tenantId, NO_HASH])
  let head = headOf(await session.query(LOCK, [tenantId]))
  const rows = entries.map((entry) => {
    const position = head.position + 1
    const row = { ...seal(entry, position, head.hash), tenantId, position }
    head = row
    return row
  })
  await session.query(APPEND, [
    tenantId,
    bigintArray(rows.map(({ position }) => position)),
    textArray(rows.map(({ type }) => type)),
    bigintArray(rows.map(({ at }) => at)),
    textArray(rows.map(({ record }) => record)),
    bytesArray(rows.map(({ hash }) => hash)),
    textArray(rows.map(({ keyId }) => keyId)),
    bytesArray(rows.map(({ mac }) => mac)),
  ])
  await session.query(MOVE, [tenantId, head.position, head.hash])
  return rows
}

function auditRow(row: Columns): AuditRow {
  return {
    tenantId: text(row, 'tenant_id'),
    position: number(row, 'position'),
    type: text(row, 'type') as AuditType,
    at: number(row, 'at'),
    record: text(row, 'record'),
    hash: bytes(row, 'hash'),
    keyId: text(row, 'key_id'),
    mac: bytes(row, 'mac'),
  }
}
