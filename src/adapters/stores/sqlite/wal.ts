/**
 * Watches the write-ahead log (DESIGN §6). SQLite empties it by itself only when it meets a moment without readers; under
 * readers that follow on each other it would grow for ever. So a log that grew too long is emptied on purpose, which waits
 * briefly for readers; seldom, and never within a commit.
 */
import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

export interface WalLimits {
  readonly bytes: number
  /** How often the size is looked at, at most. */
  readonly everyMs: number
}

export const WAL_LIMITS: WalLimits = { bytes: 64 * 1024 * 1024, everyMs: 5000 }

/** Gives what to call after each commit. */
export function watchWal(db: DatabaseSync, path: string, { bytes, everyMs }: WalLimits): () => void {
  let nextLook = performance.now() + everyMs
  const look = (): void => {
    if (!db.isOpen || db.isTransaction) return
    const size = statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0
    if (size > bytes) truncate(db)
  }
  return () => {
    if (performance.now() < nextLook) return
    nextLook = performance.now() + everyMs
    setImmediate(look)
  }
}

function truncate(db: DatabaseSync): void {
  try {
    db.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch {
    // A reader that does not leave, or a disk that fails: the next look tries again, the next commit has a caller to tell.
  }
}
