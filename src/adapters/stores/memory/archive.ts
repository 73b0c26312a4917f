/**
 * Archival of whole ended runs, and the jump of epochs after a restore (STO-15). Only the row of an archived run is
 * left.
 */
import { isTerminalRun } from '../../../core/run/state/transitions.ts'
import type { ArchiveAnswer } from '../../../ports/archive.ts'
import type { RunKey, RunRow } from '../../../ports/run-store.ts'
import type { MemoryDisk } from './connect.ts'
import { forgetRun } from './feed.ts'
import { freeRun } from './grants.ts'
import { runOf } from './read.ts'
import { forgetWork } from './work.ts'

export function archivableRuns(disk: MemoryDisk, endedBefore: number, limit: number): readonly RunRow[] {
  const ended = disk.runs
    .map(({ row }) => row)
    .filter(({ status, archivedAt }) => isTerminalRun(status) && archivedAt === undefined)
    .filter(({ endedAt }) => endedAt !== undefined && endedAt < endedBefore)
  return ended.sort((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0) || a.runKey - b.runKey).slice(0, limit)
}

export function archiveRun(
  disk: MemoryDisk,
  runKey: RunKey,
  ticket: Uint8Array,
  place: string | undefined,
  now: number,
): ArchiveAnswer {
  const run = runOf(disk, runKey)
  if (run === undefined) return 'no-run'
  if (!isTerminalRun(run.row.status)) return 'not-terminal'
  if (Buffer.compare(run.row.headHash, ticket) !== 0) return 'head-moved'
  if (run.row.archivedAt !== undefined) return 'archived'
  run.events.length = 0
  const { keys, terminalSlots, inbox, pending, context, blobs, snapshots, claims, eventWaits } = run
  for (const part of [keys, terminalSlots, inbox, pending, context, blobs, snapshots, claims, eventWaits]) part.clear()
  run.labels = {}
  forgetRun(disk, runKey)
  forgetWork(disk, runKey)
  freeRun(disk, runKey, now)
  run.row = Object.freeze({ ...run.row, archivedAt: now, ...(place === undefined ? {} : { archivedTo: place }) })
  return 'archived'
}

export function raiseEpochs(disk: MemoryDisk): number {
  const open = disk.runs.filter(({ row }) => !isTerminalRun(row.status))
  for (const run of open) {
    const { lease, ...row } = run.row
    run.row = Object.freeze({ ...row, epoch: row.epoch + 1 })
  }
  return open.length
}
