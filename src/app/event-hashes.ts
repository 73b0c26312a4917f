/**
 * The two hashes of a stored event (P-33): of its erasable data, salted, and of the record chained to the one before.
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
  return hash('sha256', joined(previous, record), 'buffer')
}

function joined(head: Uint8Array, text: string): Buffer {
  const bytes = Buffer.allocUnsafe(head.length + text.length * 3)
  bytes.set(head, 0)
  return bytes.subarray(0, head.length + bytes.write(text, head.length, 'utf8'))
}
