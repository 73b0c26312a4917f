/**
 * A batch on its way to another thread and back. Copying objects costs by the field, the name of each field included, and a small array
 * of bytes costs the whole block it lies in; so all values are handed over as one flat list, and all bytes as one block that is moved,
 * not copied. What few commits have goes as it is.
 */
import type { AuditHead, AuditRow } from '../../../ports/audit-log.ts'
import type { KnownRow, NewRun, RunCommit, RunKey, RunSummary, SealedEvent } from '../../../ports/run-store.ts'

/** In what is sent each commit is so many events, what it is, then these events. */
export interface HandedBatch {
  readonly number: number
  readonly values: readonly unknown[]
  /** Of each event, in order: its key, its chain hash, its salt. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Written in the same transaction. */
  readonly audits: readonly HandedAudit[]
}

/** Records of the audit log of one tenant, sealed after a head that may be old by the time that they are written. */
interface HandedAudit {
  readonly position: number
  readonly rows: readonly Omit<AuditRow, 'hash' | 'mac'>[]
  /** The hash of the head, then of each row its hash and its HMAC. */
  readonly bytes: Uint8Array<ArrayBuffer>
}

export interface AuditRecords {
  readonly head: AuditHead
  readonly rows: readonly AuditRow[]
}

const HASH_BYTES = 32

type Lease = NonNullable<RunCommit['lease']>
type Flat = 'runKey' | 'create' | 'expected' | 'unread' | 'known' | 'events' | 'summary' | 'lease'
type Rare = Omit<RunCommit, Flat>

/** All fields, or it does not compile: one that is not named here would be lost on the way. */
function fields<T>(all: Readonly<Record<keyof T, true>>): readonly (keyof T)[] {
  return Object.keys(all) as (keyof T)[]
}

const EXPECTED = fields<RunCommit['expected']>({ epoch: true, nextSeq: true, nextWakeAt: true })
const LEASE = fields<Lease>({ owner: true, until: true })
const KNOWN = fields<Omit<KnownRow, 'summary'>>({ tenantId: true })
const SUMMARY = fields<RunSummary>({
  status: true,
  substatus: true,
  nextWakeAt: true,
  rulesVersion: true,
  minRulesVersion: true,
  startedAt: true,
  endedAt: true,
  stepsTotal: true,
  stepsDone: true,
  stepsFailed: true,
  owed: true,
  errorCode: true,
})
const NEW_RUN = fields<NewRun>({
  runId: true,
  tenantId: true,
  projectId: true,
  environmentId: true,
  planId: true,
  planVersion: true,
  planSha256: true,
  engineType: true,
  engineRunRef: true,
  requestKey: true,
  originalRunId: true,
  parent: true,
  triggeredBy: true,
})

export function handOver(
  batch: readonly RunCommit[],
  number: number,
  audits: readonly AuditRecords[] = [],
): HandedBatch {
  const values: unknown[] = []
  const bytes = new Uint8Array(sizeOf(batch))
  let at = 0
  const put = (some: Uint8Array | undefined): number => {
    if (some === undefined) return -1
    bytes.set(some, at)
    at += some.length
    return some.length
  }
  const write = <T extends object>(names: readonly (keyof T)[], from: T): void => {
    for (const name of names) values.push(from[name])
  }
  const writeIfAny = <T extends object>(names: readonly (keyof T)[], from: T | undefined): void => {
    values.push(from !== undefined)
    if (from !== undefined) write(names, from)
  }
  for (const { runKey, create, expected, unread, known, events, summary, lease, ...rest } of batch) {
    values.push(events.length, runKey, unread, isNothing(rest) ? undefined : rest)
    write(EXPECTED, expected)
    write(SUMMARY, summary)
    writeIfAny(NEW_RUN, create)
    writeIfAny(LEASE, lease)
    writeIfAny(KNOWN, known)
    writeIfAny(SUMMARY, known?.summary)
    for (const { runSeq, eventType, record, data, terminalSlot, idempotencyKey, chainHash, salt } of events)
      values.push(runSeq, eventType, record, data, terminalSlot, put(idempotencyKey), put(chainHash), put(salt))
  }
  return { number, values, bytes, audits: audits.map(handOverAudit) }
}

/** Most commits leave nothing beside their events. Of these three none at all says the same as an empty list; of others it may not. */
function isNothing({ consumed = [], context = [], notify = [], ...others }: Rare): boolean {
  return consumed.length + context.length + notify.length + Object.keys(others).length === 0
}

function sizeOf(batch: readonly RunCommit[]): number {
  let size = 0
  for (const { events } of batch)
    for (const { idempotencyKey, chainHash, salt } of events)
      size += idempotencyKey.length + chainHash.length + (salt?.length ?? 0)
  return size
}

export function takeOver({ values, bytes }: HandedBatch): RunCommit[] {
  let at = 0
  let byte = 0
  const next = (): unknown => values[at++]
  const takeBytes = (length: unknown): Uint8Array => bytes.subarray(byte, (byte += Number(length)))
  const read = <T extends object>(names: readonly (keyof T)[]): T => {
    const made: Partial<T> = {}
    for (const name of names) {
      const value = next()
      if (value !== undefined) made[name] = value as T[keyof T]
    }
    return made as T
  }
  const readIfAny = <T extends object>(names: readonly (keyof T)[]): T | undefined =>
    next() === true ? read(names) : undefined
  const event = (): SealedEvent => {
    const [runSeq, eventType, record, data, terminalSlot] = [next(), next(), next(), next(), next()]
    const [idempotencyKey, chainHash, saltLength] = [takeBytes(next()), takeBytes(next()), next()]
    return {
      runSeq: Number(runSeq),
      eventType: String(eventType),
      record: String(record),
      idempotencyKey,
      chainHash,
      ...(saltLength === -1 ? {} : { salt: takeBytes(saltLength) }),
      ...(data === undefined ? {} : { data: String(data) }),
      ...(terminalSlot === undefined ? {} : { terminalSlot: String(terminalSlot) }),
    }
  }
  const commit = (): RunCommit => {
    const [count, runKey, unread, rest] = [next(), next(), next(), next()]
    const [expected, summary] = [read(EXPECTED), read(SUMMARY)]
    const [create, lease] = [readIfAny(NEW_RUN), readIfAny(LEASE)]
    const [known, before] = [readIfAny(KNOWN), readIfAny(SUMMARY)]
    const events = Array.from({ length: Number(count) }, event)
    return {
      ...(rest as Rare | undefined),
      ...(runKey === undefined ? {} : { runKey: runKey as RunKey }),
      ...(create === undefined ? {} : { create }),
      ...(unread === true ? { unread } : {}),
      ...(lease === undefined ? {} : { lease }),
      ...(known === undefined || before === undefined ? {} : { known: { ...known, summary: before } }),
      expected,
      summary,
      events,
    }
  }
  const commits: RunCommit[] = []
  while (at < values.length) commits.push(commit())
  return commits
}

function handOverAudit({ head, rows }: AuditRecords): HandedAudit {
  const bytes = new Uint8Array(HASH_BYTES * (1 + 2 * rows.length))
  const all = [head.hash, ...rows.flatMap(({ hash, mac }) => [hash, mac])]
  for (const [at, some] of all.entries()) bytes.set(some, at * HASH_BYTES)
  return { position: head.position, rows: rows.map(({ hash: _hash, mac: _mac, ...rest }) => rest), bytes }
}

export function takeOverAudits({ audits }: HandedBatch): readonly AuditRecords[] {
  return audits.map(takeOverAudit)
}

function takeOverAudit(handed: HandedAudit): AuditRecords {
  const { position, bytes } = handed
  const take = (at: number): Uint8Array => bytes.subarray(at * HASH_BYTES, (at + 1) * HASH_BYTES)
  const rows = handed.rows.map((row, at) => ({ ...row, hash: take(1 + 2 * at), mac: take(2 + 2 * at) }))
  return { head: { position, hash: take(0) }, rows }
}
