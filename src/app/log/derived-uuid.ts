/**
 * Ids derived from what they stand for: ids of child runs, of runs that undo one, of signals sent on a run's behalf
 * (P-29).
 */
import { sha256Bytes } from './sha256.ts'

/** First 16 bytes of SHA-256(`child|runId|slot|attempt`) with the bits of a version 4 UUID (P-29). */
export function childRunId(runId: string, slot: string, attempt: number): string {
  return derivedUuid(`child|${runId}|${slot}|${attempt}`)
}

/** Of a signal that a run sends, or the engine in its place: the same signal once. Ids of child runs have the same form. */
export function sentSignalId(runId: string, what: string, ordinal: number): string {
  return childRunId(runId, what, ordinal)
}

/** The same text gives the same id everywhere, so that a repeated request gets the same thing. */
export function derivedUuid(text: string): string {
  const bytes = sha256Bytes(text).slice(0, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = Buffer.from(bytes).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}
