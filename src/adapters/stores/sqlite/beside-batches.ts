/**
 * Records of the audit log that come while the other thread writes: it writes them with its next batch, so that neither waits for the
 * other's rest. They are sealed here, after the head as it will be once what is on its way is written; where somebody else was faster,
 * they are sealed anew.
 */
import type { AuditHead, AuditLog } from '../../../ports/audit-log.ts'
import { sealedAfter } from './audit-log.ts'
import type { CommitThread } from './commit-thread.ts'

const TRIES = 3

/** Where the log of a tenant will end. */
interface Tail {
  head: AuditHead
  onTheWay: number
}

export function besideBatches(thread: CommitThread, store: AuditLog): AuditLog['appendAudit'] {
  const tails = new Map<string, Tail>()
  const forget = (tenantId: string, tail: Tail): void => {
    if (tails.get(tenantId) === tail) tails.delete(tenantId)
  }
  return async (tenantId, entries, seal) => {
    for (let tries = 0; tries < TRIES && thread.isWriting && entries.length > 0; tries += 1) {
      const stored = tails.get(tenantId)?.head ?? (await store.auditHead(tenantId))
      // Meanwhile it may have been lost, or somebody may be writing on this thread: the two never write at once.
      if (!thread.isWriting) break
      const tail = tails.get(tenantId) ?? { head: stored, onTheWay: 0 }
      tails.set(tenantId, tail)
      const before = tail.head
      const rows = sealedAfter(before, tenantId, entries, seal)
      tail.head = rows.at(-1) ?? before
      tail.onTheWay += 1
      try {
        if (await thread.append({ head: before, rows })) return rows
        // Whatever follows on these rows will not be written either.
        forget(tenantId, tail)
      } catch (thrown) {
        forget(tenantId, tail)
        throw thrown
      } finally {
        tail.onTheWay -= 1
        if (tail.onTheWay === 0) forget(tenantId, tail)
      }
    }
    return store.appendAudit(tenantId, entries, seal)
  }
}
