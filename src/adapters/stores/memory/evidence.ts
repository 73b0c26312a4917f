/**
 * What verification reads in addition to the log: every row of a run, and all runs and plans in order. Changes nothing.
 */
import type { EvidenceStore, RunSides } from '../../../ports/evidence.ts'
import type { RunKey } from '../../../ports/run-store.ts'
import type { MemoryDisk } from './connect.ts'
import { readEventWaits } from './events.ts'
import { runOf } from './read.ts'

export function evidenceOf(disk: () => MemoryDisk): EvidenceStore {
  return {
    readSides: async (runKey) => readSides(disk(), runKey),
    pageRuns: async (afterKey, limit) =>
      disk()
        .runs.filter(({ row }) => row.runKey > afterKey)
        .slice(0, limit)
        .map(({ row }) => row),
    pagePlans: async (from, limit) => {
      const plans = [...disk().plans.values()].slice(from, from + limit)
      return plans.length < limit ? { plans } : { plans, next: from + limit }
    },
    pagePublications: async (after, limit) =>
      disk()
        .publications.map(({ source, ...one }, at) => ({
          position: at + 1,
          ...one,
          ...(source === undefined ? {} : { source: JSON.stringify(source) }),
        }))
        .slice(after, after + limit),
    settledSeq: async (runKey, subscriber) => disk().subscribers.get(subscriber)?.cursors.get(runKey) ?? 0,
    // This store has no schema, counts on demand and keeps everything under its run: nothing can disagree.
    faults: async () => [],
  }
}

function readSides(disk: MemoryDisk, runKey: RunKey): RunSides {
  const run = runOf(disk, runKey)
  const held = [...disk.grants.held.values()].filter((grant) => grant.runKey === runKey)
  return {
    context: [...(run?.context.values() ?? [])].flat(),
    blobs: [...(run?.blobs.keys() ?? [])],
    snapshots: [...(run?.snapshots.values() ?? [])],
    inbox: [...(run?.inbox.values() ?? [])].map(({ row, bodySha256 }) =>
      bodySha256 === undefined ? row : { ...row, bodySha256 },
    ),
    claims: [...(run?.claims.values() ?? [])],
    holds: held.flatMap(({ slot, attempt, wants }) =>
      Object.entries(wants).map(([pool, amount]) => ({ slot, attempt, pool, amount })),
    ),
    eventWaits: readEventWaits(run),
    labels: run?.labels ?? {},
  }
}
