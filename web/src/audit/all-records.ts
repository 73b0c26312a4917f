/** Records of the audit log page by page, oldest first, up to where it ended when the first page was read: reading adds to it. */
import { session } from '../server/session.ts'
import type { AuditAsked } from './audit-query.ts'
import type { AuditPage } from './audit-record.ts'

const PAGE = 1_000

export async function* allRecords(asked: AuditAsked, signal: AbortSignal): AsyncGenerator<AuditPage, void> {
  let [after, end] = [0, undefined as number | undefined]
  for (;;) {
    const upTo = end === undefined ? {} : { before: end + 1 }
    const query = { ...asked, ...upTo, order: 'oldest', after, limit: PAGE } as const
    const page = await session.get().client.call('listAudit', { query, signal })
    end ??= page.head.position
    yield page
    if (!page.more || page.next >= end) return
    after = page.next
  }
}
