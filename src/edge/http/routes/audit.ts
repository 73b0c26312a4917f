/** The audit log over HTTP (AUT-12): each record as it was hashed and signed, so that a copy can be proved elsewhere. */
import { hexOf } from '../../../app/log/sha256.ts'
import * as api from '../../../core/api/audit.ts'
import { storeOf } from '../../../library/services-of.ts'
import type { AuditRow } from '../../../ports/audit-log.ts'
import { bind, type BoundRoute } from '../serve/bound-route.ts'

const PAGE = 100

export const AUDIT: readonly BoundRoute[] = [
  bind(api.listAudit, async ({ caller, world, query }) => {
    const { after = 0, limit = PAGE, format = 'json' } = query
    const rows = await storeOf(world.keelson).readAudit(caller.tenantId, after, limit)
    const records = rows.map(shown)
    if (format === 'ndjson') return { text: { type: 'application/x-ndjson', chunks: linesOf(records) } }
    return { body: { records, next: rows.at(-1)?.position ?? after } }
  }),
]

/** `record` is the text that was hashed: parsed and written anew it might no longer be the same bytes. */
function shown({ position, type, record, hash, keyId, mac }: AuditRow): object {
  return { position, type, record, hash: hexOf(hash), keyId, mac: hexOf(mac) }
}

async function* linesOf(records: readonly object[]): AsyncGenerator<string, void> {
  for (const record of records) yield `${JSON.stringify(record)}\n`
}
