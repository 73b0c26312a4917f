/**
 * Checks a copy of the audit log in the browser: that each text has the hash beside it, and follows the record before it. It proves nothing
 * about who wrote it: the key of the signatures never leaves the server's machine.
 */
import { alteredFrom, misplacedAfter, type AuditPlace } from '../../../src/core/audit/audit-chain.ts'
import type { AuditRecord } from './audit-record.ts'

/** Before the first record. */
export const BEGINNING: AuditPlace = { position: 0, hash: '0'.repeat(64) }

/** Browsers hash only on pages with TLS, and of this machine. */
export function canHash(): boolean {
  return (globalThis.crypto as Partial<Crypto> | undefined)?.subtle !== undefined
}

async function sha256(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** What is wrong with it; undefined: nothing that a copy shows. Without the record before it, its link is not looked at. */
async function faultOf(
  one: AuditRecord,
  tenantId: string,
  before: AuditPlace | undefined,
): Promise<string | undefined> {
  const { position, type, keyId } = one
  const beside = { tenantId, position, type, keyId }
  const misplaced = before === undefined ? undefined : misplacedAfter(one, before)
  return misplaced ?? alteredFrom(one, await sha256(one.record), beside)
}

export interface Fault {
  readonly position: number
  readonly what: string
}

/** Of records in ascending order. */
export async function faultsIn(
  records: readonly AuditRecord[],
  tenantId: string,
  start: AuditPlace | undefined,
): Promise<readonly Fault[]> {
  const faults: Fault[] = []
  let before = start
  for (const one of records) {
    const what = await faultOf(one, tenantId, before)
    if (what !== undefined) faults.push({ position: one.position, what })
    before = one
  }
  return faults
}

/** Of records that a filter chose: a link is looked at only where the record before is among them. */
export async function faultsAmong(
  records: readonly AuditRecord[],
  tenantId: string,
): Promise<ReadonlyMap<number, string>> {
  const known = new Map(records.map((one) => [one.position, one]))
  const found = await Promise.all(
    records.map(async (one) => [one.position, await faultOf(one, tenantId, known.get(one.position - 1))] as const),
  )
  return new Map(found.flatMap(([position, what]) => (what === undefined ? [] : [[position, what] as const])))
}
