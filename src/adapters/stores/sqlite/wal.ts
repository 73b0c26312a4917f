/**
 * Watches the write-ahead log. SQLite empties it by itself only in a moment without readers; under overlapping readers
 * it would grow for ever. So a log that is too long is emptied deliberately, which waits briefly for readers; seldom,
 * and never within a commit.
 */
import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

export interface WalLimits {
  readonly bytes: number
  /** How often the size is checked, at most. */
  readonly everyMs: number
}

export const WAL_LIMITS: WalLimits = { bytes: 64 * 1024 * 1024, everyMs: 5000 }

/** Returns the function to call after each commit. */
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
    // A reader that does not leave, or a failing disk: the next check tries again, and the next commit reports the
    // error.
  }
}
