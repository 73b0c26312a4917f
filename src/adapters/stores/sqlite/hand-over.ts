/**
 * A batch on its way to another thread and back. Copying objects costs by the field, and a small array of bytes costs the whole block it
 * lies in; so events are handed over as one flat list, and all their bytes as one block that is moved, not copied.
 */
import type { AuditHead, AuditRow } from '../../../ports/audit-log.ts'
import type { RunCommit, SealedEvent } from '../../../ports/run-store.ts'

type Flat = string | number | undefined

export interface HandedCommit extends Omit<RunCommit, 'events'> {
  /** `FIELDS` values for each event. */
  readonly events: readonly Flat[]
}

export interface HandedBatch {
  readonly number: number
  readonly commits: readonly HandedCommit[]
  /** Of each event, in order: its key, its chain hash, its salt. */
  readonly bytes: Uint8Array<ArrayBuffer>
}

/** Records of the audit log of one tenant, sealed after a head that may be old by the time that they are written. */
export interface HandedAudit {
  readonly number: number
  readonly position: number
  readonly rows: readonly Omit<AuditRow, 'hash' | 'mac'>[]
  /** The hash of the head, then of each row its hash and its HMAC. */
  readonly bytes: Uint8Array<ArrayBuffer>
}

export type Handed = HandedBatch | HandedAudit

const FIELDS = 8
const HASH_BYTES = 32

export function handOver(batch: readonly RunCommit[], number: number): HandedBatch {
  const bytes = new Uint8Array(sizeOf(batch))
  let at = 0
  const put = (some: Uint8Array | undefined): number => {
    if (some === undefined) return -1
    bytes.set(some, at)
    at += some.length
    return some.length
  }
  const commits = batch.map(({ events, ...rest }): HandedCommit => {
    const flat: Flat[] = []
    for (const { runSeq, eventType, record, data, terminalSlot, idempotencyKey, chainHash, salt } of events)
      flat.push(runSeq, eventType, record, data, terminalSlot, put(idempotencyKey), put(chainHash), put(salt))
    return { ...rest, events: flat }
  })
  return { number, commits, bytes }
}

function sizeOf(batch: readonly RunCommit[]): number {
  let size = 0
  for (const { events } of batch)
    for (const { idempotencyKey, chainHash, salt } of events)
      size += idempotencyKey.length + chainHash.length + (salt?.length ?? 0)
  return size
}

export function takeOver({ commits, bytes }: HandedBatch): RunCommit[] {
  let at = 0
  const take = (length: Flat): Uint8Array => bytes.subarray(at, (at += Number(length)))
  return commits.map(({ events: flat, ...rest }) => {
    const events: SealedEvent[] = []
    for (let from = 0; from < flat.length; from += FIELDS) {
      const [runSeq, eventType, record, data, terminalSlot, key, hash, salt] = flat.slice(from, from + FIELDS)
      events.push({
        runSeq: Number(runSeq),
        eventType: String(eventType),
        record: String(record),
        idempotencyKey: take(key),
        chainHash: take(hash),
        ...(salt === -1 ? {} : { salt: take(salt) }),
        ...(data === undefined ? {} : { data: String(data) }),
        ...(terminalSlot === undefined ? {} : { terminalSlot: String(terminalSlot) }),
      })
    }
    return { ...rest, events }
  })
}

export function handOverAudit(head: AuditHead, rows: readonly AuditRow[], number: number): HandedAudit {
  const bytes = new Uint8Array(HASH_BYTES * (1 + 2 * rows.length))
  const all = [head.hash, ...rows.flatMap(({ hash, mac }) => [hash, mac])]
  for (const [at, some] of all.entries()) bytes.set(some, at * HASH_BYTES)
  return { number, position: head.position, rows: rows.map(({ hash: _hash, mac: _mac, ...rest }) => rest), bytes }
}

export function takeOverAudit(handed: HandedAudit): { readonly head: AuditHead; readonly rows: readonly AuditRow[] } {
  const { position, bytes } = handed
  const take = (at: number): Uint8Array => bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)
  const rows = handed.rows.map((row, at) => ({ ...row, hash: take(1 + 2 * at), mac: take(2 + 2 * at) }))
  return { head: { position, hash: take(0) }, rows }
}
