/**
 * The two hashes of a stored event (P-33): of its erasable data, salted, and of the record chained to the previous one.
 * docs/reference/log.md gives the same rules in words with a worked example.
 */
import { hash } from 'node:crypto'

const HASH_BYTES = 32
export const FIRST_PREVIOUS: Uint8Array = new Uint8Array(HASH_BYTES)

/** Hex SHA-256(salt ‖ canonical data). */
export function dataHashOf(salt: Uint8Array, data: string): string {
  return hash('sha256', joined(salt, data), 'hex')
}

/** SHA-256(previous hash, raw ‖ canonical record). */
export function chainHashOf(previous: Uint8Array, record: string): Uint8Array {
  // Converted from text: a buffer from `hash` allocates its own memory, which takes longer than the hash itself.
  return Buffer.from(hash('sha256', joined(previous, record), 'binary'), 'binary')
}

const SCRATCH = Buffer.allocUnsafeSlow(64 * 1024)

/** The result is valid until the next call. */
function joined(head: Uint8Array, text: string): Buffer {
  const most = head.length + text.length * 3
  const bytes = most > SCRATCH.length ? Buffer.allocUnsafe(most) : SCRATCH
  bytes.set(head, 0)
  return bytes.subarray(0, head.length + bytes.write(text, head.length, 'utf8'))
}
