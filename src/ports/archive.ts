/**
 * What becomes of runs in the long run: archival of whole ended runs under a ticket, and the jump of epochs after a
 * restore (DESIGN §6, §12). Nothing smaller than a whole run is ever deleted (STO-15).
 */
import type { RunKey, RunRow } from './stored-run.ts'

export type ArchiveAnswer = 'archived' | 'not-terminal' | 'head-moved' | 'no-run'

export interface ArchiveStore {
  /** Ended runs that are not archived yet, ended before an instant, across tenants, oldest end first. */
  archivableRuns(endedBefore: number, limit: number): Promise<readonly RunRow[]>
  /**
   * Deletes events, inbox, context, blobs, snapshots and claims of an ended run whose head hash is `ticket`, and marks its
   * row archived, with the place of its bundle. The row, its request key and its head stay. Repeating it answers `archived`,
   * and the first place stands.
   */
  archiveRun(runKey: RunKey, ticket: Uint8Array, place?: string): Promise<ArchiveAnswer>
  /** Restore or failover: every run that has not ended gets epoch + 1 and loses its lease. Answers how many. */
  raiseEpochs(): Promise<number>
}
