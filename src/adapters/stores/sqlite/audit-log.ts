/** The audit log of each tenant (AUT-12): numbered from 1 without gaps, only ever added to. */
import type { AuditHead, AuditLog, AuditRow, AuditType, SealedAudit } from '../../../ports/audit-log.ts'
import type { Connection } from './connect.ts'
import type { AuditRecords } from './hand-over.ts'
import { bytes, number, text, type Columns } from './run-row.ts'
import { requireTenant } from './scope.ts'

const HEAD = 'SELECT position, hash FROM audit_log WHERE tenant_id = ? ORDER BY position DESC LIMIT 1'
const READ = 'SELECT * FROM audit_log WHERE tenant_id = ? AND position > ? ORDER BY position LIMIT ?'
const TENANTS = 'SELECT DISTINCT tenant_id FROM audit_log'
const APPEND = `INSERT INTO audit_log (tenant_id, position, type, at, record, hash, key_id, mac)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`

export function auditLogOf(connection: Connection): AuditLog {
  return {
    appendAudit: async (tenantId, entries, seal) => {
      requireTenant(tenantId)
      return connection.write(() => append(connection, tenantId, entries, seal))
    },
    readAudit: async (tenantId, after, limit) => {
      requireTenant(tenantId)
      return connection.read(() => connection.sql(READ).all(tenantId, after, limit).map(auditRow))
    },
    auditHead: async (tenantId) => {
      requireTenant(tenantId)
      return connection.read(() => headOf(connection, tenantId))
    },
    auditTenants: () =>
      connection.read(() =>
        connection
          .sql(TENANTS)
          .all()
          .map((row) => text(row, 'tenant_id')),
      ),
  }
}

function headOf(connection: Connection, tenantId: string): AuditHead {
  const row = connection.sql(HEAD).get(tenantId)
  if (row === undefined) return { position: 0, hash: new Uint8Array(32) }
  return { position: number(row, 'position'), hash: bytes(row, 'hash') }
}

function append<E>(
  connection: Connection,
  tenantId: string,
  entries: readonly E[],
  seal: (entry: E, position: number, previous: Uint8Array) => SealedAudit,
): readonly AuditRow[] {
  const rows = sealedAfter(headOf(connection, tenantId), tenantId, entries, seal)
  insert(connection, rows)
  return rows
}

export function sealedAfter<E>(
  head: AuditHead,
  tenantId: string,
  entries: readonly E[],
  seal: (entry: E, position: number, previous: Uint8Array) => SealedAudit,
): readonly AuditRow[] {
  let { position, hash } = head
  return entries.map((entry) => {
    position += 1
    const row = { ...seal(entry, position, hash), tenantId, position }
    hash = row.hash
    return row
  })
}

/** Rows that were sealed outside of the transaction. False: somebody else has written since then, and nothing is stored. */
function appendAfter(connection: Connection, head: AuditHead, rows: readonly AuditRow[]): boolean {
  const now = headOf(connection, rows[0]?.tenantId ?? '')
  if (now.position !== head.position || Buffer.compare(now.hash, head.hash) !== 0) return false
  insert(connection, rows)
  return true
}

/** Each that was sealed after the log as it is by then, those before it included. */
export function appendAllAfter(connection: Connection, all: readonly AuditRecords[]): readonly boolean[] {
  return all.map(({ head, rows }) => appendAfter(connection, head, rows))
}

function insert(connection: Connection, rows: readonly AuditRow[]): void {
  for (const { tenantId, position, type, at, record, hash, keyId, mac } of rows)
    connection.sql(APPEND).run(tenantId, position, type, at, record, hash, keyId, mac)
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
