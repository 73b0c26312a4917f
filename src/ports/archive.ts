/**
 * The long term of runs: archival of whole ended runs under a ticket, and the jump of epochs after a restore. Nothing
 * smaller than a whole run is ever deleted (STO-15).
 */
import type { RunKey, RunRow } from './stored-run.ts'

export type ArchiveAnswer = 'archived' | 'not-terminal' | 'head-moved' | 'no-run'

export interface ArchiveStore {
  /** Runs of all tenants that ended before an instant and are not archived yet, oldest end first. */
  archivableRuns(endedBefore: number, limit: number): Promise<readonly RunRow[]>
  /**
   * Deletes events, inbox, context, blobs, cached folds and claims of an ended run whose head hash is `ticket`, and
   * marks its row archived, with the place of its bundle. The row, its request key and its head stay. A repeat returns
   * `archived`, and the first place stays.
   */
  archiveRun(runKey: RunKey, ticket: Uint8Array, place?: string): Promise<ArchiveAnswer>
  /** Restore or failover: every run that has not ended gets epoch + 1 and loses its lease. Returns how many. */
  raiseEpochs(): Promise<number>
}
