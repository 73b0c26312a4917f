/**
 * SHA-256 of a text, as hex. WebCrypto has it only where the page came over https or from this machine, and answers each question later;
 * a log is many short texts, each hashed with the one before.
 */
const BLOCK = 64
/** A block ends with the length of what was hashed. */
const LENGTH_BYTES = 8
const STATE_WORDS = 8
const ROUNDS = 64
const HEX = 16
/** Of one byte. */
const HEX_DIGITS = 2
const WORD_DIGITS = 8
const BITS_PER_BYTE = 8
const WORD = 2 ** 32

/** The first 32 bits of the fractions of the roots of the first primes: of their square roots for the state, of their cube roots for the rounds. */
function fractions(count: number, power: number): Uint32Array {
  const words = new Uint32Array(count)
  for (let [found, candidate] = [0, 2]; found < count; candidate += 1) {
    let isPrime = true
    for (let divisor = 2; divisor * divisor <= candidate; divisor += 1) isPrime &&= candidate % divisor !== 0
    if (!isPrime) continue
    const root = candidate ** power
    words[found] = (root - Math.floor(root)) * WORD
    found += 1
  }
  return words
}

const FIRST = fractions(STATE_WORDS, 1 / 2)
const CONSTANTS = fractions(ROUNDS, 1 / 3)
const utf8 = new TextEncoder()

let scratch = new Uint8Array(BLOCK * 1_024)
const schedule = new Int32Array(ROUNDS)

/** Hex SHA-256 of the bytes that `head` is the hex of, and then the text in UTF-8. */
export function hashOf(text: string, head = ''): string {
  const headBytes = head.length / HEX_DIGITS
  const most = headBytes + text.length * 3 + BLOCK + LENGTH_BYTES + 1
  if (most > scratch.length) scratch = new Uint8Array(most)
  for (let at = 0; at < headBytes; at += 1)
    scratch[at] = parseInt(head.slice(at * HEX_DIGITS, (at + 1) * HEX_DIGITS), HEX)
  const length = headBytes + utf8.encodeInto(text, scratch.subarray(headBytes)).written
  const padded = Math.ceil((length + 1 + LENGTH_BYTES) / BLOCK) * BLOCK
  scratch.fill(0, length, padded)
  scratch[length] = 0x80
  const view = new DataView(scratch.buffer)
  view.setUint32(padded - LENGTH_BYTES, Math.floor((length * BITS_PER_BYTE) / WORD))
  view.setUint32(padded - LENGTH_BYTES / 2, (length * BITS_PER_BYTE) >>> 0)
  const state = Int32Array.from(FIRST)
  for (let at = 0; at < padded; at += BLOCK) compress(state, view, at)
  return [...state].map((word) => (word >>> 0).toString(HEX).padStart(WORD_DIGITS, '0')).join('')
}

const turned = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

function expand(view: DataView, from: number): void {
  for (let at = 0; at < 16; at += 1) schedule[at] = view.getInt32(from + at * 4)
  for (let at = 16; at < ROUNDS; at += 1) {
    const early = schedule[at - 15] as number
    const late = schedule[at - 2] as number
    const one = turned(early, 7) ^ turned(early, 18) ^ (early >>> 3)
    const two = turned(late, 17) ^ turned(late, 19) ^ (late >>> 10)
    schedule[at] = ((schedule[at - 16] as number) + one + (schedule[at - 7] as number) + two) | 0
  }
}

/** The eight words carry the names that FIPS 180-4 gives them. */
function compress(state: Int32Array, view: DataView, from: number): void {
  expand(view, from)
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number]
  for (let at = 0; at < ROUNDS; at += 1) {
    const mixed = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25)
    const first = (h + mixed + ((e & f) ^ (~e & g)) + (CONSTANTS[at] as number) + (schedule[at] as number)) | 0
    const second = ((turned(a, 2) ^ turned(a, 13) ^ turned(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  for (const [at, word] of [a, b, c, d, e, f, g, h].entries()) state[at] = (state[at] as number) + word
}
