/**
 * The memory that the event loop and its guard share: beats of the loop, the number of steps at work, and their names.
 * The guard reads the names only while the loop is stuck, so nothing writes them at the same time.
 */
import type { LoopBlock } from '../../ports/loop-guard.ts'

const BEATS = 0
const AT_WORK = 1
const TEXT_BYTES = 2
const NUMBERS = 3
const LONGEST_TEXT = 4_096
/** The latest ones are enough. */
export const NAMED_STEPS = 3
const ENCODER = new TextEncoder()

export class SharedBeat {
  readonly buffer: SharedArrayBuffer
  readonly #numbers: Int32Array
  readonly #text: Uint8Array

  constructor(buffer = new SharedArrayBuffer(NUMBERS * Int32Array.BYTES_PER_ELEMENT + LONGEST_TEXT)) {
    this.buffer = buffer
    this.#numbers = new Int32Array(buffer, 0, NUMBERS)
    this.#text = new Uint8Array(buffer, NUMBERS * Int32Array.BYTES_PER_ELEMENT)
  }

  beat(): void {
    Atomics.add(this.#numbers, BEATS, 1)
  }

  get beats(): number {
    return Atomics.load(this.#numbers, BEATS)
  }

  get atWork(): number {
    return Atomics.load(this.#numbers, AT_WORK)
  }

  set atWork(count: number) {
    Atomics.store(this.#numbers, AT_WORK, count)
  }

  set steps(steps: LoopBlock['steps']) {
    const names = steps.map(({ runId, step }) => ({ runId, step }))
    const { written } = ENCODER.encodeInto(JSON.stringify(names), this.#text)
    Atomics.store(this.#numbers, TEXT_BYTES, written)
  }

  get steps(): LoopBlock['steps'] {
    const bytes = this.#text.slice(0, Atomics.load(this.#numbers, TEXT_BYTES))
    try {
      return JSON.parse(new TextDecoder().decode(bytes)) as LoopBlock['steps']
    } catch {
      // Nothing was written yet, or the names were too long and were cut.
      return []
    }
  }
}
