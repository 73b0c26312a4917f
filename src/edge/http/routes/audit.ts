/** The audit log over HTTP (AUT-12): each record as it was hashed and signed, so that a copy can be proved elsewhere. */
import { findAudit } from '../../../app/audit/find-audit.ts'
import { hexOf } from '../../../app/log/sha256.ts'
import * as api from '../../../core/api/audit.ts'
import { storeOf } from '../../../library/services-of.ts'
import type { AuditRow } from '../../../ports/audit-log.ts'
import { bind, type BoundRoute } from '../serve/bound-route.ts'
import { instantOf } from '../wire/list-filter.ts'

const PAGE = 100

export const AUDIT: readonly BoundRoute[] = [
  bind(api.listAudit, async ({ caller, world, query }) => {
    const { limit = PAGE, format = 'json', since, until, ...rest } = query
    const when = (text: string | undefined, name: string): number | undefined =>
      text === undefined ? undefined : instantOf(text, name, world.now())
    const asked = { ...rest, limit, since: when(since, 'since'), until: when(until, 'until') }
    const { rows, next, more, head } = await findAudit(storeOf(world.keelson), caller.tenantId, asked)
    const records = rows.map(shown)
    if (format === 'ndjson') return { text: { type: 'application/x-ndjson', chunks: linesOf(records) } }
    return { body: { records, next, more, head: { position: head.position, hash: hexOf(head.hash) } } }
  }),
]

/** `record` is the text that was hashed: parsed and written anew it might no longer be the same bytes. */
function shown({ position, type, record, hash, keyId, mac }: AuditRow): object {
  return { position, type, record, hash: hexOf(hash), keyId, mac: hexOf(mac) }
}

async function* linesOf(records: readonly object[]): AsyncGenerator<string, void> {
  for (const record of records) yield `${JSON.stringify(record)}\n`
}
