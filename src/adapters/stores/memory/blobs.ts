/** Large values of a run by the hash of their text; keyed by run, so that erasure can drop them (P-34). */
import type { MemoryRun } from './connect.ts'

export function putBlob(run: MemoryRun | undefined, sha256: string, text: string): void {
  if (run !== undefined && !run.blobs.has(sha256)) run.blobs.set(sha256, text)
}

export function getBlob(run: MemoryRun | undefined, sha256: string): string | undefined {
  return run?.blobs.get(sha256)
}
