/**
 * Recomputes what the append path once computed over a run's stored events: exact bytes, keys, data hashes, chain (P-33). It
 * proves that nothing was changed, removed or inserted; erased data is recognised and is no fault.
 */
import { isEventType, type LogRecord } from '../../core/events/event.ts'
import { keyText, keyTextV2, type KeyParts } from '../../core/events/event-key.ts'
import { isImported, keyVersionOf, type KeyVersion } from '../../core/events/imported.ts'
import { slotOf, type SlottedEvent } from '../../core/events/slot-of.ts'
import { KeelsonError } from '../../core/problems/problem.ts'
import type { StoredEvent } from '../../ports/run-store.ts'
import { canonicalText } from '../log/canonical.ts'
import { FIRST_PREVIOUS, chainHashOf, dataHashOf } from '../log/event-hashes.ts'
import { envelopeOf } from '../log/read-events.ts'
import { hexOf, sha256Hex } from '../log/sha256.ts'

export interface ChainBreak {
  readonly runSeq: number
  readonly what: string
}

export interface ChainReport {
  readonly checked: number
  /** Hex chainHash of the last whole event; 64 zeros when there is none. */
  readonly headHash: string
  /** runSeq of events whose data was erased and whose erasure is recorded. */
  readonly erased: readonly number[]
  /** runSeq of events whose data is gone though no ErasureRecorded says so. */
  readonly missingData: readonly number[]
  /** The first event that does not fit; nothing after it was looked at. */
  readonly broken?: ChainBreak
}

/** The whole log of one run, in order of runSeq. */
export function verifyChain(events: readonly StoredEvent[]): ChainReport {
  const gone: number[] = []
  const raised: number[] = []
  let head = FIRST_PREVIOUS
  let before: LogRecord | undefined
  let erasedUpTo = 0
  let checked = 0
  let broken: ChainBreak | undefined
  for (const stored of events) {
    const read = envelopeOf(stored)
    const what = read.ok
      ? (wrongPlace(read.value, before) ?? wrongBytes(stored, read.value, head) ?? wrongKey(read.value, raised))
      : read.problems[0].message
    if (!read.ok || what !== undefined) {
      broken = { runSeq: stored.runSeq, what: what ?? 'it cannot be read' }
      break
    }
    const record = read.value
    if (record.dataHash !== undefined && stored.data === undefined) gone.push(record.runSeq)
    if (record.eventType === 'AlertRaised') raised.push(record.decision.firstSeq)
    if (record.eventType === 'ErasureRecorded')
      erasedUpTo = Math.max(erasedUpTo, Number(record.payload?.['erasedUpTo']))
    head = stored.chainHash
    before = record
    checked++
  }
  return {
    checked,
    headHash: hexOf(head),
    erased: gone.filter((runSeq) => runSeq <= erasedUpTo),
    missingData: gone.filter((runSeq) => runSeq > erasedUpTo),
    ...(broken === undefined ? {} : { broken }),
  }
}

const IDENTITY = ['runId', 'tenantId', 'projectId', 'environmentId', 'planId', 'planVersion'] as const

function wrongPlace(record: LogRecord, before: LogRecord | undefined): string | undefined {
  if (before === undefined) return undefined
  if (record.runSeq <= before.runSeq) return `runSeq ${record.runSeq} does not come after ${before.runSeq}`
  for (const name of IDENTITY) {
    if (record[name] !== before[name]) return `${name} is not that of the event before`
  }
  return undefined
}

function wrongBytes(stored: StoredEvent, record: LogRecord, previous: Uint8Array): string | undefined {
  if (!isCanonical(stored.record)) return 'its record is not canonical JSON'
  if (hexOf(chainHashOf(previous, stored.record)) !== record.chainHash) return 'its chainHash does not fit'
  if ((stored.data === undefined) !== (stored.salt === undefined))
    return 'it has data without salt, or salt without data'
  if (stored.data === undefined || stored.salt === undefined) return undefined
  if (record.dataHash !== dataHashOf(stored.salt, stored.data)) return 'its data does not have the hash in its record'
  return isCanonical(stored.data) ? undefined : 'its data is not canonical JSON'
}

/** Text may be JSON and still have no canonical form, such as half a character. */
function isCanonical(text: string): boolean {
  try {
    return canonicalText(JSON.parse(text)) === text
  } catch (error) {
    if (error instanceof KeelsonError) return false
    throw error
  }
}

/** Events of unknown types keep their key unchecked: only their version knows their slot. */
function wrongKey(record: LogRecord, raised: readonly number[]): string | undefined {
  if (!isEventType(record.eventType)) return undefined
  const raisedAt = () => (isImported(record) ? upTo(record.runSeq) : [record.decision.firstSeq, ...raised])
  return fitsKey(record, raisedAt, keyVersionOf(record))
    ? undefined
    : 'its idempotencyKey does not follow from its fields'
}

/** An imported alert was raised by a decision of another store; which one, only its key knows. */
export function upTo(runSeq: number): readonly number[] {
  return Array.from({ length: runSeq }, (_, index) => index + 1)
}

type Keyed = KeyParts & SlottedEvent & Pick<LogRecord, 'planId' | 'logicalAttemptId' | 'idempotencyKey'>

/** `raisedAt`: the decisions that may have raised an alert; of other events the slot is in the event itself. */
export function fitsKey(event: Keyed, raisedAt: () => readonly number[], version: KeyVersion): boolean {
  const isAlert = event.eventType === 'AlertRaised' || event.eventType === 'AlertEscalated'
  return (isAlert ? raisedAt() : [undefined]).some((raisedAtSeq) => {
    const slot = slotOf(event, raisedAtSeq)
    if (slot === undefined) return false
    const parts = { ...event, slot, attempt: event.logicalAttemptId }
    return sha256Hex(version === 'v2' ? keyTextV2(parts) : keyText(parts)) === event.idempotencyKey
  })
}
