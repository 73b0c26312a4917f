/**
 * Parts of a text that are encoded bytes: base64 in both alphabets, hex with and without separators, lists of decimal
 * numbers. Decoded as bytes, one character each; between two parts is a character that no byte can be.
 */
import { Reading, type Decoded } from './decoded-text.ts'

export type Writing = 'base64' | 'hex' | 'shifted hex' | 'decimal'

const BETWEEN = 0xffff
/** Parts of at least `bytes` bytes; the first and last byte may be cut by adjacent text. */
const STRETCHES: Readonly<Record<Writing, (bytes: number) => RegExp>> = {
  base64: (bytes) => new RegExp(`[A-Za-z0-9+/_-]{${Math.floor((bytes * 8) / 6)},}`, 'g'),
  hex: (bytes) => new RegExp(`(?:(?:0x)?[0-9a-fA-F]{2}[\\s:,;-]{0,2}){${bytes},}`, 'g'),
  'shifted hex': (bytes) => new RegExp(`[0-9a-fA-F]{${bytes * 2 + 1},}`, 'g'),
  // A list, or an object with numbers as keys: JSON of typed arrays looks like that.
  decimal: (bytes) =>
    new RegExp(`(?:(?:"\\d{1,9}":\\s{0,2})?\\d{1,3}[\\s,;]{1,3}){${bytes - 1},}(?:"\\d{1,9}":\\s{0,2})?\\d{1,3}`, 'g'),
}
/** The regex engine refuses larger repetitions, and nothing shorter than this is searched in bytes. */
const BYTES_COUNTED = 64
const BITS = 6

/** Undefined when the text has no such part. */
export function bytesIn(of: Decoded, writing: Writing, atLeast: number): Decoded | undefined {
  const stretches = STRETCHES[writing](Math.min(atLeast, BYTES_COUNTED))
  const reading = new Reading(of)
  let any = false
  for (const match of of.text.matchAll(stretches)) {
    const add = (byte: number, begin: number, end: number): void =>
      reading.add(byte, match.index + begin, match.index + end)
    if (writing === 'base64') addBase64(match[0], add)
    else if (writing === 'decimal') addDecimal(match[0], add)
    else addHex(match[0], writing === 'hex' ? 0 : 1, add)
    // An encoded part is longer than its bytes, so there is room for it.
    add(BETWEEN, match[0].length - 1, match[0].length)
    any = true
  }
  return any ? reading.done() : undefined
}

type Add = (byte: number, begin: number, end: number) => void

function addBase64(text: string, add: Add): void {
  const bytes = Buffer.from(text, 'base64')
  for (const [at, byte] of bytes.entries())
    add(byte, Math.floor((at * 8) / BITS), Math.min(text.length, Math.ceil(((at + 1) * 8) / BITS)))
}

function addHex(text: string, from: number, add: Add): void {
  for (let at = from; at + 1 < text.length;) {
    const pair = text.slice(at, at + 2)
    const isByte = /^[0-9a-fA-F]{2}$/.test(pair)
    if (isByte) add(Number.parseInt(pair, 16), at, at + 2)
    at += isByte || pair === '0x' ? 2 : 1
  }
}

function addDecimal(text: string, add: Add): void {
  for (const { 0: whole, 1: digits = '', index } of text.matchAll(/(?:"\d+":\s*)?(\d+)/g)) {
    const byte = Number(digits)
    add(byte <= 255 ? byte : BETWEEN, index, index + whole.length)
  }
}
