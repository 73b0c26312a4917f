/**
 * Reads values from a run's log: `data.result` of a StepCompleted, or the blob that an event names (P-43). A missing
 * value is damage, and an erased value is reported as erased; neither ever reads as null.
 */
import { LIMITS } from '../../core/limits.ts'
import type { EventType, LogRecord, Payload } from '../../core/events/event.ts'
import { fail } from '../../core/problems/problem.ts'
import type { RunKey, RunStore, StoredEvent } from '../../ports/run-store.ts'
import { recordOf } from '../log/read-events.ts'
import { eventAt } from '../log/stored-events.ts'
import { isErased } from '../log/erased-data.ts'
import { sha256Hex } from '../log/sha256.ts'

/** The part of a store that reads values; a log in memory can serve it too. */
export type ValueStore = Pick<RunStore, 'readEvents' | 'readContext' | 'getBlob'>

export type BlobStore = ValueStore & Pick<RunStore, 'putBlob'>

export interface LogSource {
  readonly store: ValueStore
  readonly runKey: RunKey
  /** An erasure is recorded: missing values were deleted. */
  readonly erased: boolean
}

/** The results at these seqs: one read for each range of a page, not one for each result. */
export async function readResults(log: LogSource, seqs: readonly number[]): Promise<ReadonlyMap<number, unknown>> {
  const wanted = seqs.toSorted((a, b) => a - b)
  const results = new Map<number, unknown>()
  let at = 0
  for (let first = wanted[at]; first !== undefined; first = wanted[at]) {
    const page = await log.store.readEvents(log.runKey, { afterSeq: first - 1, limit: stretch(wanted, at) })
    // If a page begins later, its first event is missing; if it ends sooner, the rest is read again.
    if (page[0]?.runSeq !== first) missing(first)
    for (const stored of page) {
      const next = wanted[at] ?? Infinity
      if (stored.runSeq > next) missing(next)
      if (stored.runSeq !== next) continue
      results.set(next, await resultOf(log, stored))
      at += 1
    }
  }
  return results
}

/** How many events to read from the first wanted one to the last wanted one in the same page. */
function stretch(wanted: readonly number[], at: number): number {
  const first = wanted[at] ?? 0
  let last = first
  for (let next = at; next < wanted.length; next += 1) {
    const seq = wanted[next] ?? first
    if (seq - first >= LIMITS.fetchPageEvents) break
    last = seq
  }
  return last - first + 1
}

async function resultOf(log: LogSource, stored: StoredEvent): Promise<unknown> {
  const record = recordAs('StepCompleted', stored)
  const { resultRef } = record.payload as Payload<'StepCompleted'>
  if (resultRef !== undefined) return readBlob(log, resultRef.sha256)
  if (isErased(record)) erased(`the result at event ${record.runSeq}`)
  return record.data?.['result'] ?? null
}

/** The one event with this seq. */
export async function readRecord(log: LogSource, seq: number, ...types: readonly EventType[]): Promise<LogRecord> {
  const stored = await eventAt(log.store, log.runKey, seq)
  return stored === undefined ? missing(seq) : recordAs(types, stored)
}

function recordAs(types: EventType | readonly EventType[], stored: StoredEvent): LogRecord {
  const record = recordOf(stored)
  if (!record.ok) return fail('RUN_QUARANTINED', record.problems[0].message)
  const { eventType, runSeq } = record.value
  if (![types].flat().some((type) => type === eventType))
    fail('RUN_QUARANTINED', `event ${runSeq} should hold a value, but it is a ${eventType}`, { details: { runSeq } })
  return record.value
}

/** An erasable part of an event that existed when the event was written. */
export function dataOf(record: LogRecord): Readonly<Record<string, unknown>> {
  return isErased(record) ? erased(`the data of event ${record.runSeq}`) : (record.data ?? {})
}

export async function readBlob(log: LogSource, sha256: string): Promise<unknown> {
  return JSON.parse(await blobText(log, sha256)) as unknown
}

export async function blobText(log: LogSource, sha256: string): Promise<string> {
  const text = await log.store.getBlob(log.runKey, sha256)
  if (text === undefined) {
    if (log.erased) erased(`the value ${sha256}`)
    return fail('RUN_QUARANTINED', `the stored value ${sha256} is missing`)
  }
  return sha256Hex(text) === sha256
    ? text
    : fail('RUN_QUARANTINED', `the stored value ${sha256} does not have the hash that names it`)
}

function missing(runSeq: number): never {
  return fail('RUN_QUARANTINED', `event ${runSeq}, which holds a value, is not in the log`, { details: { runSeq } })
}

export function erased(what: string): never {
  return fail('VALUE_ERASED', `${what} was erased`)
}
