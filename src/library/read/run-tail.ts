/**
 * The log of one run for all who watch it: a page is read once, made into text once, and given to everybody who asks for what
 * comes after the same event, now or a little later. What nobody asks for is not read.
 */
import type { BoundedCache } from '../../app/schemas/bounded-cache.ts'
import { steadyNow } from '../../core/clock-jumps.ts'
import type { LogRecord } from '../../core/events/event.ts'
import { LIMITS } from '../../core/limits.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import type { Clock } from '../../ports/clock.ts'
import type { RunStatus } from '../../ports/run-store.ts'
import { lumpedPage, type Lump, type LumpedPage } from '../tell/lumps.ts'
import type { RunReader } from './run-reader.ts'

export interface RunTailOptions {
  readonly clock: Clock
  readonly textOf: (record: LogRecord) => string
  /** For all runs: by the name of a tail and the event before the page. Each weighs its bytes. */
  readonly pages: BoundedCache<string, readonly Lump[]>
  /** Nobody is told when a run is set aside: a run that is watched is looked at again after this long. */
  readonly lookAgainMs: number
  /** Not used before. */
  readonly nextName: () => number
}

const FIRST_PAGE = 128
const MOST_EVENTS = 512
const NONE: readonly Lump[] = []

export class RunTail {
  readonly watchers = new Set<() => void>()
  readonly #run: RunReader
  readonly #options: RunTailOptions
  readonly #reading = new Map<number, Promise<readonly Lump[]>>()
  /** In the names of its pages. After an erasure it is another, and what was kept before is found no more. */
  #name: number
  #head: number
  #isStale = true
  #lookedAt = -Infinity
  #end: RunStatus | undefined
  #limit = FIRST_PAGE

  constructor(run: RunReader, options: RunTailOptions) {
    this.#run = run
    this.#options = options
    this.#name = options.nextName()
    this.#head = run.row.nextSeq - 1
  }

  /** The last event that is known. */
  get head(): number {
    return this.#head
  }

  /** How the run ended, once its last event was read. */
  get end(): RunStatus | undefined {
    return this.#end
  }

  /** A newer row than the one that it was opened with. */
  seen({ row }: RunReader): void {
    if (row.nextSeq - 1 > this.#head) this.wake()
  }

  wake(lastEventSeq = Infinity): void {
    if (lastEventSeq <= this.#head) return
    this.#isStale = true
    for (const onMove of this.watchers) onMove()
  }

  /** Looks at the run again if nobody has for long: for what nobody tells. */
  lookAgain(): void {
    const { clock, lookAgainMs } = this.#options
    if (steadyNow(clock) - this.#lookedAt >= lookAgainMs) this.wake()
  }

  /** What comes after an event, at most a page; nothing when there is nothing more now. */
  async after(seq: number): Promise<readonly Lump[]> {
    const known = this.#options.pages.get(this.#pageName(seq)) ?? this.#reading.get(seq)
    if (known !== undefined) return known
    if (seq >= this.#head && !this.#isStale) return NONE
    const reading = this.#read(seq)
    this.#reading.set(seq, reading)
    try {
      return await reading
    } finally {
      this.#reading.delete(seq)
    }
  }

  async #read(seq: number): Promise<readonly Lump[]> {
    this.#isStale = false
    this.#lookedAt = steadyNow(this.#options.clock)
    try {
      const limit = this.#limit
      const { records, lastEventSeq, status } = await this.#run.tail(seq, limit)
      if (records.some(({ eventType }) => eventType === 'ErasureRecorded')) this.#name = this.#options.nextName()
      const { lumps, bytes, lastSeq } = this.#lumped(records, seq)
      const isLastPage = records.length < limit && lastSeq === (records.at(-1)?.runSeq ?? seq)
      this.#head = isLastPage ? lastSeq : Math.max(this.#head, lastEventSeq)
      if (isLastPage && isTerminalRun(status)) this.#end = status
      if (lumps.length > 0) this.#options.pages.set(this.#pageName(seq), lumps, bytes)
      return lumps
    } catch (thrown) {
      this.#isStale = true
      throw thrown
    }
  }

  #pageName(seq: number): string {
    return `${this.#name}/${seq}`
  }

  /** Events of one run are often of one size: the next page asks for as many as fit. */
  #lumped(records: readonly LogRecord[], afterSeq: number): LumpedPage {
    const page = lumpedPage(records, this.#options.textOf, afterSeq, LIMITS.streamPageBytes)
    const each = page.bytes / Math.max(1, page.lastSeq - afterSeq)
    if (page.bytes > 0) this.#limit = Math.min(MOST_EVENTS, Math.ceil(LIMITS.streamPageBytes / each))
    return page
  }
}
