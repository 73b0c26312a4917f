/**
 * Finds secret values in a text in whatever code they are written: in the text itself, and in every decoded form of it.
 * Each form is one pass, and their number is bounded, so the time is linear in the text and depends little on the
 * number of secrets.
 */
import { least } from '../../core/collections/extremes.ts'
import { withoutNuls, type Decoded } from './decoded-text.ts'
import { bytesIn, type Writing } from './encoded-bytes.ts'
import { unescaped, type Family } from './escapes.ts'
import { Needles } from './needles.ts'
import type { SecretForms } from './forms.ts'

/** JSON in JSON in JSON in JSON. */
const LAYERS = 4
const ALONE: readonly (readonly Family[])[] = [['backslash'], ['percent'], ['entity'], ['printable']]
const TOGETHER: readonly Family[] = ['backslash', 'percent', 'entity']
const WRITINGS: readonly Writing[] = ['base64', 'hex', 'shifted hex', 'decimal']

export type Tell = (from: number, to: number) => void

export class SecretSearch {
  readonly #plain: Needles
  readonly #packed: Needles
  /** No secret has fewer bytes: shorter parts hold none. */
  readonly #shortest: number

  constructor(forms: readonly SecretForms[]) {
    this.#plain = new Needles(forms.flatMap(({ plain }) => plain))
    this.#packed = new Needles(forms.flatMap(({ packed }) => packed))
    this.#shortest = least(forms.map(({ shortest }) => shortest))
  }

  find(text: string, tell: Tell): void {
    const written: Decoded = { text }
    this.#look(written, tell)
    for (const family of ALONE) this.#layers(written, family, tell)
    const readings = [written, ...this.#layers(written, TOGETHER, tell)]
    for (const reading of readings) this.#bytes(reading, tell, 1)
  }

  /** Searches each layer, and returns the layers. */
  #layers(of: Decoded, families: readonly Family[], tell: Tell): readonly Decoded[] {
    const found: Decoded[] = []
    for (let layer: Decoded | undefined = of; found.length < LAYERS;) {
      layer = unescaped(layer, families)
      if (layer === undefined) break
      this.#look(layer, tell)
      found.push(layer)
    }
    return found
  }

  /** Searches encoded bytes, and bytes encoded within those. */
  #bytes(of: Decoded, tell: Tell, deeper: number): void {
    for (const writing of WRITINGS) {
      const bytes = bytesIn(of, writing, this.#shortest)
      if (bytes === undefined) continue
      this.#look(bytes, tell)
      for (const family of ALONE) this.#layers(bytes, family, tell)
      this.#layers(bytes, TOGETHER, tell)
      if (deeper > 0 && writing === 'base64') this.#bytes(bytes, tell, deeper - 1)
    }
  }

  #look(of: Decoded, tell: Tell): void {
    this.#plain.find(of.text, placed(of, tell))
    // UTF-16 text that was read byte by byte.
    const narrow = withoutNuls(of)
    if (narrow !== undefined) this.#plain.find(narrow.text, placed(narrow, tell))
    this.#packed.findPacked(of.text, placed(of, tell))
  }
}

function placed({ from: starts, to: ends }: Decoded, tell: Tell): Tell {
  return (from, to) => tell(starts?.[from] ?? from, ends?.[to - 1] ?? to)
}
