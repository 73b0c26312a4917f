/**
 * A decoded form of a text, with the place in the original that each character came from: a secret that is found in the
 * decoded form is masked in the original. Decoding never throws; invalid codes stay as they are.
 */
export interface Decoded {
  readonly text: string
  /** For each character: where it begins and ends in the original. Absent for the original itself. */
  readonly from?: Int32Array
  readonly to?: Int32Array
}

/** Collects characters with their places. */
export class Reading {
  readonly #of: Decoded
  readonly #parts: string[] = []
  #chunk: number[] = []
  readonly #from: Int32Array
  readonly #to: Int32Array
  #length = 0

  /** Every decoded character comes from at least one of the original, so a reading is never longer. */
  constructor(of: Decoded) {
    this.#of = of
    this.#from = new Int32Array(of.text.length)
    this.#to = new Int32Array(of.text.length)
  }

  /** Adds a character that was decoded from `begin` to before `end`. */
  add(unit: number, begin: number, end: number): void {
    this.#from[this.#length] = this.#of.from?.[begin] ?? begin
    this.#to[this.#length] = this.#of.to?.[end - 1] ?? end
    this.#length += 1
    this.#chunk.push(unit)
    if (this.#chunk.length === 4096) this.#flush()
  }

  #flush(): void {
    this.#parts.push(String.fromCharCode(...this.#chunk))
    this.#chunk = []
  }

  done(): Decoded {
    this.#flush()
    return {
      text: this.#parts.join(''),
      from: this.#from.subarray(0, this.#length),
      to: this.#to.subarray(0, this.#length),
    }
  }
}

const NUL = /\0/

/** The text without NULs; undefined when it has none. */
export function withoutNuls(of: Decoded): Decoded | undefined {
  if (!NUL.test(of.text)) return undefined
  const reading = new Reading(of)
  for (let at = 0; at < of.text.length; at += 1) {
    const unit = of.text.charCodeAt(at)
    if (unit !== 0) reading.add(unit, at, at + 1)
  }
  return reading.done()
}
