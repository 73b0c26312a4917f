/** The audit logs of all tenants, as far as they can be proved without the key that signs them. */
import type { AuditLog } from '../../ports/audit-log.ts'
import { verifyAudit } from '../audit/verify-audit.ts'
import type { EvidenceFinding } from '../sides/finding.ts'

export async function checkAudit(log: AuditLog): Promise<readonly EvidenceFinding[]> {
  const found: EvidenceFinding[] = []
  for (const tenantId of await log.auditTenants()) {
    const { findings } = await verifyAudit(log, tenantId)
    for (const { position, what } of findings)
      found.push({ code: 'AUDIT_ALTERED', message: `audit record ${position} of tenant ${tenantId}: ${what}` })
  }
  return found
}
