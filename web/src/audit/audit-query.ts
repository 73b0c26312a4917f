/** Which records of the audit log are shown: all of it is in the address of the page. */
import type { QueryOf } from '../../../src/core/api/contract.ts'
import type { listAudit } from '../../../src/core/api/audit.ts'

export type AuditAsked = QueryOf<typeof listAudit>

/** The parts that narrow, by their names in the address. */
export const NARROWING = ['actor', 'action', 'target', 'decision', 'since', 'until'] as const

const PAGE = 50

export function auditAsked(query: URLSearchParams): AuditAsked {
  const before = Number(query.get('before'))
  return {
    ...narrowed(query),
    order: 'newest',
    limit: PAGE,
    ...(Number.isSafeInteger(before) && before > 0 ? { before } : {}),
  }
}

/** Without the place in the log. */
export function narrowed(query: URLSearchParams): AuditAsked {
  const parts = NARROWING.flatMap((name) => {
    const value = query.get(name)?.trim() ?? ''
    const isMeant = value !== '' && (name !== 'decision' || value === 'GRANTED' || value === 'DENIED')
    return isMeant ? [[name, value] as const] : []
  })
  return Object.fromEntries(parts)
}
