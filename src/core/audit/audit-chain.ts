/**
 * How records of the audit log hang together (AUT-12), for whoever holds a copy of them: the server that proves its log, and the page that
 * looks at what it was given. Hashes are made by the caller, because the core has no cryptography.
 */

/** The version is in the text, so that a later form of it can be told apart. */
export const AUDIT_FORM = 'keelson-audit-1'

/** Hashes are hex. */
export interface AuditPlace {
  readonly position: number
  readonly hash: string
}

export interface AuditCopy extends AuditPlace {
  /** The text that was hashed. */
  readonly record: string
}

/** What a record says; of a text that is no JSON object, nothing. */
export function auditSaid(record: string): Readonly<Record<string, unknown>> {
  try {
    const said: unknown = JSON.parse(record)
    return typeof said === 'object' && said !== null ? { ...said } : {}
  } catch {
    return {}
  }
}

/** Why a record cannot be the next after another; undefined when it can. */
export function misplacedAfter({ position, record }: AuditCopy, before: AuditPlace): string | undefined {
  if (position !== before.position + 1) return `it follows record ${before.position}: what was between them is gone`
  return auditSaid(record)['previous'] === before.hash ? undefined : 'it does not follow the record before it'
}

/** Why a record is not what was hashed and said; undefined when it is. `sha256`: of its text, made now. */
export function alteredFrom(
  { hash, record }: AuditCopy,
  sha256: string,
  beside: Readonly<Record<string, unknown>>,
): string | undefined {
  if (hash !== sha256) return 'its hash is not that of its text'
  const said = auditSaid(record)
  const different = Object.keys(beside).filter((name) => said[name] !== beside[name])
  return different.length === 0 ? undefined : `its text has another ${different.join(', ')}`
}
