/** The audit log of each tenant (AUT-12): numbered from 1 without gaps, only ever added to. */
import type { AuditHead, AuditLog, AuditRow, SealedAudit } from '../../../ports/audit-log.ts'
import type { MemoryDisk } from './connect.ts'
import { requireTenant } from './scope.ts'

const NOTHING: AuditHead = { position: 0, hash: new Uint8Array(32) }

export function auditLogOf(disk: () => MemoryDisk): AuditLog {
  return {
    appendAudit: async (tenantId, entries, seal) => appendAudit(disk(), tenantId, entries, seal),
    readAudit: async (tenantId, after, limit) => rowsOf(disk(), tenantId).slice(after, after + limit),
    auditHead: async (tenantId) => headOf(rowsOf(disk(), tenantId)),
    auditTenants: async () => [...disk().audit.keys()].filter((tenantId) => rowsOf(disk(), tenantId).length > 0),
  }
}

function rowsOf({ audit }: MemoryDisk, tenantId: string): readonly AuditRow[] {
  return audit.get(requireTenant(tenantId)) ?? []
}

function headOf(rows: readonly AuditRow[]): AuditHead {
  const { position, hash } = rows.at(-1) ?? NOTHING
  return { position, hash }
}

function appendAudit<E>(
  disk: MemoryDisk,
  tenantId: string,
  entries: readonly E[],
  seal: (entry: E, position: number, previous: Uint8Array) => SealedAudit,
): readonly AuditRow[] {
  const rows = disk.audit.get(requireTenant(tenantId)) ?? []
  let head = headOf(rows)
  const made = entries.map((entry) => {
    const position = head.position + 1
    const row = Object.freeze({ ...seal(entry, position, head.hash), tenantId, position })
    head = row
    return row
  })
  // After all of them were sealed: one that cannot be leaves nothing.
  for (const row of made) rows.push(row)
  disk.audit.set(tenantId, rows)
  return made
}
