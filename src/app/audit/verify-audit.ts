/**
 * Proves the audit log of a tenant (AUT-12): a record that was changed, removed, put in or moved is found by the chain alone; one that
 * somebody sealed anew without the key is found by its HMAC. A log that was cut at its end is found by a head that was noted elsewhere.
 */
import { timingSafeEqual } from 'node:crypto'
import { alteredFrom, AUDIT_FORM, misplacedAfter, type AuditCopy } from '../../core/audit/audit-chain.ts'
import { isoFromMs } from '../../core/time.ts'
import type { AuditHead, AuditLog, AuditRow } from '../../ports/audit-log.ts'
import type { SigningKeys } from '../../ports/signing-keys.ts'
import { hexOf, sha256Hex } from '../log/sha256.ts'
import { auditMac } from './audit-log.ts'

export interface AuditFinding {
  readonly tenantId: string
  readonly position: number
  readonly what: string
}

export interface AuditProof {
  readonly records: number
  readonly head: AuditHead
  readonly findings: readonly AuditFinding[]
}

export interface AuditCheck {
  /** Without keys the chain is checked and no HMAC. */
  readonly keys?: SigningKeys
  /** A head of this log that was noted elsewhere: the log must still have that record. */
  readonly noted?: AuditHead
}

const PAGE = 500
/** The first ones say where it began; of a log that was made anew every record is one. */
const MOST_FINDINGS = 20

export async function verifyAudit(log: AuditLog, tenantId: string, check: AuditCheck = {}): Promise<AuditProof> {
  const findings: AuditFinding[] = []
  let head: AuditHead = { position: 0, hash: new Uint8Array(32) }
  let records = 0
  let isNotedThere = check.noted === undefined || check.noted.position === 0
  const find = (position: number, what: string | undefined): void => {
    if (what !== undefined && findings.length < MOST_FINDINGS) findings.push({ tenantId, position, what })
  }
  for (;;) {
    const page = await log.readAudit(tenantId, head.position, PAGE)
    for (const row of page) {
      records += 1
      find(
        row.position,
        misplacedAfter(copyOf(row), { ...head, hash: hexOf(head.hash) }) ??
          altered(row, tenantId) ??
          (await unsigned(row, check.keys)),
      )
      if (row.position === check.noted?.position) isNotedThere = hexOf(row.hash) === hexOf(check.noted.hash)
      head = { position: row.position, hash: row.hash }
    }
    if (page.length < PAGE) break
  }
  const stored = await log.auditHead(tenantId)
  if (stored.position < head.position || (stored.position === head.position && hexOf(stored.hash) !== hexOf(head.hash)))
    find(stored.position, 'the end that the store keeps is not the last record')
  if (!isNotedThere) find(check.noted?.position ?? 0, 'the record whose hash was noted elsewhere is not there')
  return { records, head, findings }
}

function copyOf({ position, record, hash }: AuditRow): AuditCopy {
  return { position, record, hash: hexOf(hash) }
}

/** The columns repeat what is in the hashed text, for look-ups: they must say the same. */
function altered(row: AuditRow, tenantId: string): string | undefined {
  const { position, at, keyId, type, record } = row
  const beside = { audit: AUDIT_FORM, tenantId, position, at: isoFromMs(at), keyId, type }
  return alteredFrom(copyOf(row), sha256Hex(record), beside)
}

async function unsigned(row: AuditRow, keys: SigningKeys | undefined): Promise<string | undefined> {
  if (keys === undefined) return undefined
  const key = await keys.find(row.keyId)
  if (key === undefined) return `it was signed with the key ${row.keyId}, which there is not`
  const mac = auditMac(key, row.record)
  const isSame = row.mac.length === mac.length && timingSafeEqual(row.mac, mac)
  return isSame ? undefined : 'it was not signed with its key'
}
