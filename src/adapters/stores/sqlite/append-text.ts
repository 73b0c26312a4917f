/**
 * The events of one append as the texts of its row, and back. Every piece has its lengths before it (in UTF-16 units, as JavaScript
 * counts), so that nothing within it can be taken for its end. Reading never throws: of a damaged text the first event that does not
 * fit is read as what is there, and whoever checks the chain names it.
 */
import { upcast, type Fields } from '../../../core/compat/upcast.ts'
import type { SealedEvent, StoredEvent } from '../../../ports/run-store.ts'
import { bytes, number, text, type Columns } from './run-row.ts'

const HASH_BYTES = 32

export interface AppendTexts {
  readonly records: string
  readonly data: string | null
  readonly chainHashes: Buffer<ArrayBuffer>
}

export function textsOf(events: readonly SealedEvent[]): AppendTexts {
  let records = ''
  let data = ''
  const chainHashes = Buffer.allocUnsafe(HASH_BYTES * events.length)
  for (let index = 0; index < events.length; index += 1) {
    const event = events[index] as SealedEvent
    const { record, terminalSlot = '', salt } = event
    records += `${record.length},${terminalSlot.length}:${record}${terminalSlot}`
    chainHashes.set(event.chainHash, index * HASH_BYTES)
    if (event.data === undefined || salt === undefined) continue
    data += `${index},${salt.length * 2},${event.data.length}:${hexOf(salt)}${event.data}`
  }
  return { records, data: data === '' ? null : data, chainHashes }
}

function hexOf({ buffer, byteOffset, byteLength }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, byteLength).toString('hex')
}

interface Piece {
  /** The numbers before the colon. */
  readonly numbers: readonly number[]
  /** Where the text after the colon begins. */
  readonly from: number
}

function pieceAt(all: string, at: number): Piece | undefined {
  const colon = all.indexOf(':', at)
  const numbers = all.slice(at, colon).split(',').map(Number)
  return colon !== -1 && numbers.every((one) => one >= 0) ? { numbers, from: colon + 1 } : undefined
}

/** The type of an event whose record does not say it. */
const UNREADABLE = 'unreadable'

export function eventsOf(row: Columns): StoredEvent[] {
  const records = text(row, 'records')
  const hashes = bytes(row, 'chain_hashes')
  const [firstSeq, lastSeq] = [number(row, 'first_seq'), number(row, 'last_seq')]
  const data = dataOf(text(row, 'data'))
  const events: StoredEvent[] = []
  for (let at = 0; at < records.length && firstSeq + events.length <= lastSeq;) {
    const index = events.length
    const { numbers, from } = pieceAt(records, at) ?? { numbers: [records.length], from: at }
    const [recordLength = 0, slotLength = 0] = numbers
    const end = from + recordLength + slotLength
    // What lies behind the last event belongs to nobody: read as the slot that it ends, it is found.
    const slot = records.slice(from + recordLength, firstSeq + index === lastSeq ? undefined : end)
    const record = records.slice(from, from + recordLength)
    events.push({
      runSeq: firstSeq + index,
      eventType: fieldOf(record, 'eventType') || UNREADABLE,
      idempotencyKey: Buffer.from(fieldOf(record, 'idempotencyKey'), 'hex'),
      record,
      ...data.get(index),
      chainHash: hashes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES),
      ...(slot === '' ? {} : { terminalSlot: slot }),
      persistedAt: number(row, 'persisted_at'),
    })
    at = end
  }
  return events
}

type Valued = Required<Pick<StoredEvent, 'data' | 'salt'>>

function dataOf(all: string): ReadonlyMap<number, Valued> {
  const found = new Map<number, Valued>()
  for (let at = 0; at < all.length;) {
    const { numbers, from } = pieceAt(all, at) ?? { numbers: [0, 0, all.length], from: at }
    const [index = 0, saltLength = 0, dataLength = 0] = numbers
    const middle = from + saltLength
    at = Math.max(middle + dataLength, at + 1)
    found.set(index, { salt: Buffer.from(all.slice(from, middle), 'hex'), data: all.slice(middle, at) })
  }
  return found
}

/** What is left of the data when the events of the first `gone` places are erased: the rest, as it was. */
export function dataFrom(all: string, gone: number): string | null {
  let at = 0
  while (at < all.length) {
    const { numbers, from } = pieceAt(all, at) ?? { numbers: [0, 0, all.length], from: at }
    const [index = 0, saltLength = 0, dataLength = 0] = numbers
    if (index >= gone) break
    at = from + saltLength + dataLength
  }
  return at >= all.length ? null : all.slice(at)
}

/** In canonical JSON only the decision comes before these fields, and holds no other value that could have their names. */
function fieldOf(record: string, name: 'eventType' | 'idempotencyKey'): string {
  const before = `"${name}":"`
  const at = record.indexOf(before)
  const nested = record.indexOf('{', record.indexOf('{', 1) + 1)
  if (nested !== -1 && nested < at) return parsedField(record, name)
  return at === -1 ? '' : record.slice(at + before.length, record.indexOf('"', at + before.length))
}

/** Of a record of a later version, which has more before them. */
function parsedField(record: string, name: string): string {
  try {
    const value = (JSON.parse(record) as Readonly<Record<string, unknown>>)[name]
    return typeof value === 'string' ? value : ''
  } catch {
    // Damaged: whoever reads the record says so.
    return ''
  }
}

const STEP = '"stepId":"'

/**
 * The slot of a step event: what its key lies beside; empty for any other event. In canonical JSON only the tenant comes after it,
 * and behind the sequence number no other value has its name; so the same event has the same step always.
 */
export function stepOf(record: string): string {
  const at = record.indexOf(STEP, record.lastIndexOf('"runSeq":'))
  if (at === -1) return ''
  const stepId = record.slice(at + STEP.length, record.indexOf('"', at + STEP.length))
  // No step has such a name: it is the slot of an item or a fallback.
  if (stepId.includes('[') || stepId.startsWith('FALLBACK:')) return stepId
  const isPlain = !record.includes('"itemIndex":') && !record.includes('"role":')
  return isPlain && record.includes('"eventType":"Step') ? stepId : stepOfAnyShape(record)
}

/** In a log from before P-52 the slot of an item or a fallback was in three fields, and other events had one too. */
function stepOfAnyShape(record: string): string {
  try {
    const stepId = upcast(JSON.parse(record) as Fields)['stepId']
    return typeof stepId === 'string' ? stepId : ''
  } catch {
    // Damaged: whoever reads the record says so.
    return ''
  }
}
