/**
 * The outputs of an append in progress, read from its own drafts under the seqs they will have. It forgets nothing and
 * shares the fate of its append: when that is lost, so is this (P-07).
 */
import type { EventType } from '../../core/events/event.ts'
import type { Draft } from '../../core/run/draft.ts'

type List = readonly unknown[]

export class AppendValues {
  readonly firstSeq: number
  readonly #drafts: readonly { readonly draft: Draft }[]
  /** Results that their event names only by hash. */
  readonly #large = new Map<number, unknown>()
  readonly #lists = new Map<number, Promise<List>>()

  /** `drafts` may grow: later additions are seen. */
  constructor(firstSeq: number, drafts: readonly { readonly draft: Draft }[]) {
    this.firstSeq = firstSeq
    this.#drafts = drafts
  }

  holds(seq: number): boolean {
    return seq >= this.firstSeq
  }

  noteLarge(seq: number, value: unknown): void {
    this.#large.set(seq, value)
  }

  output(seq: number): unknown {
    const { data, payload } = this.#draft(seq, 'StepCompleted')
    if (payload.resultRef === undefined) return data?.result ?? null
    if (!this.#large.has(seq)) throw new RangeError(`the result of draft ${seq} is not at hand`)
    return this.#large.get(seq)
  }

  signalPayload(seq: number): unknown {
    return this.#draft(seq, 'SignalAccepted').data?.signalPayload
  }

  /** The output list of the fan-out that ends with this seq: read once, however many steps need it. */
  list(seq: number, read: () => Promise<List>): Promise<List> {
    const known = this.#lists.get(seq)
    if (known !== undefined) return known
    const reading = read()
    this.#lists.set(seq, reading)
    return reading
  }

  lists(): Iterable<readonly [number, Promise<List>]> {
    return this.#lists
  }

  /** All its readable outputs, to be cached after the commit. */
  *outputs(): Generator<readonly [number, unknown]> {
    for (const [index, { draft }] of this.#drafts.entries()) {
      const seq = this.firstSeq + index
      const isAtHand = !('resultRef' in draft.payload) || this.#large.has(seq)
      if (draft.eventType === 'StepCompleted' && isAtHand) yield [seq, this.output(seq)]
    }
  }

  #draft<T extends EventType>(seq: number, eventType: T): Draft<T> {
    const draft = this.#drafts[seq - this.firstSeq]?.draft
    if (draft?.eventType === eventType) return draft as Draft<T>
    throw new RangeError(
      `draft ${seq} is ${draft === undefined ? 'not there' : `a ${draft.eventType}`}, no ${eventType}`,
    )
  }
}
