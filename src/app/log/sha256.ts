/** SHA-256 in the three forms that the log uses: over text, over bytes, as hex. Text is hashed as UTF-8. */
import { hash } from 'node:crypto'

export function sha256Hex(input: string | Uint8Array): string {
  return hash('sha256', input, 'hex')
}

export function sha256Bytes(input: string | Uint8Array): Uint8Array {
  return hash('sha256', input, 'buffer')
}

export function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}

export function bytesOfHex(hex: string): Uint8Array {
  return Buffer.from(hex, 'hex')
}
