/**
 * A log in memory as a source of values: its own events, its context as the fold of the recorded captures, and blobs
 * from any source. So verification reads what a driver reads, without a store (P-16, P-43).
 */
import type { LogRecord, Payload } from '../../core/events/event.ts'
import { unwrap } from '../../core/result.ts'
import type { StoredEvent } from '../../ports/run-store.ts'
import { replayCaptures } from './capture-output.ts'
import type { BlobStore, LogSource } from './read-results.ts'
import { dataOf, readBlob } from './read-results.ts'
import type { ContextVariables } from './run-context.ts'

export type BlobReader = (sha256: string) => Promise<string | undefined>

export interface LogAtHand {
  readonly events: readonly StoredEvent[]
  readonly records: readonly LogRecord[]
  readonly initialContext: ContextVariables
  readonly blob: BlobReader
}

export class RecordedValues implements BlobStore {
  readonly #log: LogAtHand
  readonly #source: LogSource
  #context: ContextVariables
  #folded = 0

  constructor(log: LogAtHand, erased: boolean) {
    this.#log = log
    this.#context = log.initialContext
    this.#source = { store: this, runKey: 0, erased }
  }

  readEvents(_run: number, wanted: { afterSeq?: number; limit?: number }): Promise<readonly StoredEvent[]> {
    const from = this.#indexAfter(wanted.afterSeq ?? 0)
    return Promise.resolve(this.#log.events.slice(from, from + (wanted.limit ?? 1000)))
  }

  async readContext(_run: number, atSeq: number): Promise<ReadonlyMap<string, string>> {
    const context = await this.contextAt(atSeq)
    return new Map(Object.entries(context).map(([variable, value]) => [variable, JSON.stringify(value)]))
  }

  /** Must be called in the order of the log. */
  async contextAt(atSeq: number): Promise<ContextVariables> {
    for (; this.#folded < this.#log.records.length; this.#folded += 1) {
      const record = this.#log.records[this.#folded]
      if (record === undefined || record.runSeq > atSeq) break
      if (record.eventType === 'StepCompleted') this.#context = await this.#captured(record, this.#context)
    }
    return this.#context
  }

  getBlob(_run: number, sha256: string): Promise<string | undefined> {
    return this.#log.blob(sha256)
  }

  /** Derived values are compared, not stored. */
  putBlob(): Promise<void> {
    return Promise.resolve()
  }

  async #captured(record: LogRecord, context: ContextVariables): Promise<ContextVariables> {
    const { captures } = record.payload as Payload<'StepCompleted'>
    if (captures === undefined || captures.length === 0) return context
    const inline = (dataOf(record)['captureValues'] ?? []) as readonly unknown[]
    const values = await Promise.all(
      captures.map(({ ref }, index) => (ref === undefined ? inline[index] : readBlob(this.#source, ref.sha256))),
    )
    return unwrap(replayCaptures(context, captures, values))
  }

  #indexAfter(seq: number): number {
    const { events } = this.#log
    let low = 0
    let high = events.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((events[middle]?.runSeq ?? 0) > seq) high = middle
      else low = middle + 1
    }
    return low
  }
}
