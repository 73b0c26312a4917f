/**
 * Values that are too large to be inline are blobs of their run, named by hash and size (P-43). A row of the context
 * says `blob:<sha256>` instead of its value, which is not valid JSON.
 */
import { LIMITS } from '../../core/limits.ts'
import { canonicalText } from '../log/canonical.ts'
import { sha256Hex } from '../log/sha256.ts'

export interface Blob {
  readonly sha256: string
  readonly text: string
}

export interface BlobRef {
  readonly sha256: string
  readonly sizeBytes: number
}

export function offloaded(value: unknown): { readonly ref: BlobRef; readonly blob: Blob } {
  const text = canonicalText(value)
  const sha256 = sha256Hex(text)
  return { ref: { sha256, sizeBytes: Buffer.byteLength(text) }, blob: { sha256, text } }
}

const ROW = /^blob:([0-9a-f]{64})$/

/** The text of a context row, and the blob it names when the value is too large. */
export function contextRow(value: unknown): { readonly text: string; readonly blob?: Blob } {
  const text = JSON.stringify(value)
  if (Buffer.byteLength(text) <= LIMITS.factsBytes) return { text }
  const { blob } = offloaded(value)
  return { text: `blob:${blob.sha256}`, blob }
}

/** Hash of the blob that a context row names; undefined when the row is the value itself. */
export function rowBlob(text: string): string | undefined {
  return ROW.exec(text)?.[1]
}
