/**
 * Checks the log of a run in the browser, event by event, by the rules of docs/reference/log.md: exact bytes, keys, hashes of data and
 * the chain. It trusts nothing that the server says of them. A head that somebody trusts is all it needs: then nothing before it was
 * changed, removed or inserted.
 */
import { upcast } from '../../../src/core/compat/upcast.ts'
import { isEventType, type LogRecord } from '../../../src/core/events/event.ts'
import { keyText, keyTextV2 } from '../../../src/core/events/event-key.ts'
import { isImported, keyVersionOf } from '../../../src/core/events/imported.ts'
import { slotOf } from '../../../src/core/events/slot-of.ts'
import { canonicalOf } from './canonical.ts'
import { formsOf } from './record-forms.ts'
import { hashOf } from './sha256.ts'

/** Exact texts, as they were hashed; bytes in hex. An event of a bundle is one. */
export interface ChainedEvent {
  readonly record: string
  readonly data?: string
  readonly salt?: string
  readonly chainHash: string
}

export interface ChainBreak {
  readonly runSeq: number
  readonly what: string
}

const HASH_DIGITS = 64
const IDENTITY = ['runId', 'tenantId', 'projectId', 'environmentId', 'planId', 'planVersion'] as const

/** One for each run; events are given in their order, as they arrive. */
export class ChainCheck {
  /** chainHash of the last event that fits. */
  head = '0'.repeat(HASH_DIGITS)
  checked = 0
  /** runSeq of the last event that fits. */
  lastSeq = 0
  /** The first event that does not fit; nothing after it is looked at. */
  broken: ChainBreak | undefined
  #before: LogRecord | undefined
  readonly #gone: number[] = []
  #erasedUpTo = 0
  readonly #raisedAt: number[] = []
  readonly #seen = new Set<string>()

  /** An event by its bytes, as a bundle has it. */
  add(event: ChainedEvent): void {
    if (this.broken !== undefined) return
    const record = readRecord(event)
    if (typeof record === 'string') this.broken = { runSeq: this.lastSeq + 1, what: record }
    else this.#take(record, event, isCanonical(event.record) ? undefined : 'its record is not canonical JSON')
  }

  /** An event as the server gives it: its bytes follow from what it says. */
  addRecord(record: LogRecord): void {
    if (this.broken !== undefined) return
    const forms = formsOf(record)
    this.#take(record, forms.find((form) => this.#follows(form)) ?? forms[0])
  }

  /** Their data was erased, and a later event says so. */
  get erased(): readonly number[] {
    return this.#gone.filter((runSeq) => runSeq <= this.#erasedUpTo)
  }

  /** Their data is gone though no event says that it was erased. */
  get missing(): readonly number[] {
    return this.#gone.filter((runSeq) => runSeq > this.#erasedUpTo)
  }

  #take(record: LogRecord, event: ChainedEvent, fault?: string): void {
    const what = fault ?? this.#misplaced(record) ?? this.#wrongBytes(record, event) ?? this.#wrongKey(record)
    if (what === undefined) this.#note(record, event)
    else this.broken = { runSeq: record.runSeq, what }
  }

  #follows({ record, chainHash }: ChainedEvent): boolean {
    return hashOf(record, this.head) === chainHash
  }

  #note(record: LogRecord, event: ChainedEvent): void {
    const { runSeq, eventType, payload, decision, dataHash, eventId, idempotencyKey } = record
    if (dataHash !== undefined && event.data === undefined) this.#gone.push(runSeq)
    if (eventType === 'AlertRaised') this.#raisedAt.push(decision.firstSeq)
    if (eventType === 'ErasureRecorded')
      this.#erasedUpTo = Math.max(this.#erasedUpTo, Number(payload?.['erasedUpTo']) || 0)
    for (const name of [eventId, idempotencyKey]) this.#seen.add(name)
    this.#before = record
    this.head = event.chainHash
    this.lastSeq = runSeq
    this.checked += 1
  }

  #misplaced(record: LogRecord): string | undefined {
    const before = this.#before
    if (this.#seen.has(record.eventId) || this.#seen.has(record.idempotencyKey)) return 'it is there twice'
    const { firstSeq, cause } = record.decision
    const begins = firstSeq === record.runSeq
    if (before === undefined) return begins ? undefined : 'its decision does not begin with it'
    if (record.runSeq <= before.runSeq) return `runSeq ${record.runSeq} does not come after ${before.runSeq}`
    const other = IDENTITY.find((name) => record[name] !== before[name])
    if (other !== undefined) return `its ${other} is not that of the event before`
    const goesOn = firstSeq === before.decision.firstSeq && cause === before.decision.cause
    return begins || goesOn ? undefined : 'its decision is neither its own nor that of the event before'
  }

  #wrongBytes({ dataHash }: LogRecord, event: ChainedEvent): string | undefined {
    if (!this.#follows(event)) return 'its chainHash does not follow from the one before'
    const { data, salt } = event
    if ((data === undefined) !== (salt === undefined)) return 'it has data without salt, or salt without data'
    if (data === undefined || salt === undefined) return undefined
    if (hashOf(data, salt) !== dataHash) return 'its data does not have the hash in its record'
    return isCanonical(data) ? undefined : 'its data is not canonical JSON'
  }

  /** The key of an event of a type that is not known is not checked: only its own version knows its slot. */
  #wrongKey(record: LogRecord): string | undefined {
    if (!isEventType(record.eventType)) return undefined
    const isAlert = record.eventType === 'AlertRaised' || record.eventType === 'AlertEscalated'
    const raised = !isAlert ? [undefined] : isImported(record) ? upTo(record.runSeq) : this.#raisedBefore(record)
    const fits = raised.some((raisedAtSeq) => {
      const slot = slotOf(record, raisedAtSeq)
      if (slot === undefined) return false
      const parts = { ...record, slot, attempt: record.logicalAttemptId }
      return hashOf(keyVersionOf(record) === 'v2' ? keyTextV2(parts) : keyText(parts)) === record.idempotencyKey
    })
    return fits ? undefined : 'its idempotencyKey does not follow from its fields'
  }

  #raisedBefore({ decision }: LogRecord): readonly number[] {
    return [decision.firstSeq, ...this.#raisedAt]
  }
}

/** Who raised an imported alert, only its key knows. */
function upTo(runSeq: number): readonly number[] {
  return Array.from({ length: runSeq }, (_, index) => index + 1)
}

/** In the shape of today, or why it cannot be read. */
function readRecord({ record }: ChainedEvent): LogRecord | string {
  try {
    const read = upcast(JSON.parse(record) as Readonly<Record<string, unknown>>) as unknown as LogRecord
    const isWhole = Number.isSafeInteger(read.runSeq) && typeof read.eventType === 'string'
    return isWhole && typeof read.decision === 'object' ? read : 'it is no record of an event'
  } catch {
    return 'its record is not JSON'
  }
}

function isCanonical(text: string): boolean {
  try {
    return canonicalOf(JSON.parse(text)) === text
  } catch {
    return false
  }
}
