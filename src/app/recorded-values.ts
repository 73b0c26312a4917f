/**
 * A log at hand as the place that values are read from: its own events, its context as the fold of the recorded captures,
 * and blobs from wherever they lie. So verification reads what a driver reads, without a store (P-16, P-43).
 */
import type { ForeignRecord, Payload } from '../core/events/event.ts'
import { KeelsonError, type Problem } from '../core/problems/problem.ts'
import type { StoredEvent } from '../ports/run-store.ts'
import { replayCaptures } from './capture-output.ts'
import type { BlobStore, LogSource } from './read-results.ts'
import { dataOf, readBlob } from './read-results.ts'
import type { ContextVariables } from './run-context.ts'

export type BlobReader = (sha256: string) => Promise<string | undefined>

export interface LogAtHand {
  readonly events: readonly StoredEvent[]
  readonly records: readonly ForeignRecord[]
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

  /** To be asked in the order of the log. */
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

  /** What is derived again is compared, not kept. */
  putBlob(): Promise<void> {
    return Promise.resolve()
  }

  async #captured(record: ForeignRecord, context: ContextVariables): Promise<ContextVariables> {
    const { captures } = record.payload as Payload<'StepCompleted'>
    if (captures === undefined || captures.length === 0) return context
    const inline = (dataOf(record)['captureValues'] ?? []) as readonly unknown[]
    const values = await Promise.all(
      captures.map(({ ref }, index) => (ref === undefined ? inline[index] : readBlob(this.#source, ref.sha256))),
    )
    const after = replayCaptures(context, captures, values)
    if (!after.ok) throw new KeelsonError(after.problems as readonly [Problem, ...Problem[]])
    return after.value
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
