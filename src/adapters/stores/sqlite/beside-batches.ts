/**
 * Records of the audit log that come while the other thread writes: it writes them between two batches, so that neither waits for the
 * other's rest. They are sealed here, after the head as it is now; where somebody else was faster, they are sealed anew.
 */
import type { AuditLog } from '../../../ports/audit-log.ts'
import { sealedAfter } from './audit-log.ts'
import type { CommitThread } from './commit-thread.ts'

const TRIES = 3

export function besideBatches(thread: CommitThread, store: AuditLog): AuditLog['appendAudit'] {
  return async (tenantId, entries, seal) => {
    for (let tries = 0; tries < TRIES && thread.isWriting && entries.length > 0; tries += 1) {
      const head = await store.auditHead(tenantId)
      // Meanwhile it may have been lost, or somebody may be writing on this thread: the two never write at once.
      if (!thread.isWriting) break
      const rows = sealedAfter(head, tenantId, entries, seal)
      if (await thread.append(head, rows)) return rows
    }
    return store.appendAudit(tenantId, entries, seal)
  }
}
