/**
 * A recorded run as it lies in histories/<version>: its plan's bytes, its events' bytes, and what they folded, projected
 * and decided to when they were recorded. Keys and chain are recomputed on reading: only the head is kept of them.
 */
import { chainHashOf, FIRST_PREVIOUS } from '../../src/app/log/event-hashes.ts'
import type { LoadedPlan } from '../../src/app/plans/load.ts'
import { recordOf } from '../../src/app/log/read-events.ts'
import { bytesOfHex, hexOf, sha256Hex } from '../../src/app/log/sha256.ts'
import { snapshotHash } from '../../src/app/views/snapshot-hash.ts'
import { verifyDecisions } from '../../src/app/rederive/verify-decisions.ts'
import type { LogRecord } from '../../src/core/events/event.ts'
import { compileGraph } from '../../src/core/plan/compile/graph.ts'
import type { Plan } from '../../src/core/plan/plan.ts'
import { evolve } from '../../src/core/run/evolve/evolve.ts'
import { foldEventOfRecord } from '../../src/core/run/fold-event.ts'
import { openEffects } from '../../src/core/run/open-effects.ts'
import type { RunState } from '../../src/core/run/state/state.ts'
import { initialState } from '../../src/core/run/state/initial-state.ts'
import { summaryOf } from '../../src/core/run/summary.ts'
import { projectRun } from '../../src/core/view/project/project-run.ts'
import { runMetaOf } from '../../src/core/view/fold/run-meta.ts'
import { snapshotOf } from '../../src/core/view/show/snapshot-of.ts'
import type { StoredEvent } from '../../src/ports/run-store.ts'

export interface HistoryFile {
  readonly name: string
  readonly plan: string
  readonly events: readonly HistoryEvent[]
  readonly headHash: string
  readonly result: HistoryResult
}

export interface HistoryEvent {
  readonly persistedAt: number
  readonly record: string
  readonly data?: string
  readonly salt?: string
}

export interface HistoryResult {
  readonly summary: Readonly<Record<string, unknown>>
  readonly snapshotSha256: string
  /** At a quarter, half and three quarters of the log: what is owed, and when the run wants to be woken. */
  readonly midway: readonly { readonly runSeq: number; readonly owed: readonly string[]; readonly wakeAt?: number }[]
  readonly decisions: number
  readonly rederived: number
}

export function eventsOf(history: Pick<HistoryFile, 'events'>): readonly StoredEvent[] {
  let previous: Uint8Array = FIRST_PREVIOUS
  return history.events.map(({ persistedAt, record, data, salt }) => {
    const fields = JSON.parse(record) as { runSeq: number; eventType: string; idempotencyKey: string }
    previous = chainHashOf(previous, record)
    return {
      runSeq: fields.runSeq,
      eventType: fields.eventType,
      idempotencyKey: bytesOfHex(fields.idempotencyKey),
      record,
      ...(data === undefined || salt === undefined ? {} : { data, salt: bytesOfHex(salt) }),
      chainHash: previous,
      persistedAt,
    }
  })
}

export function historyEvent({ persistedAt, record, data, salt }: StoredEvent): HistoryEvent {
  return { persistedAt, record, ...(data === undefined || salt === undefined ? {} : { data, salt: hexOf(salt) }) }
}

export function planOfHistory(history: Pick<HistoryFile, 'plan'>): LoadedPlan {
  const plan = JSON.parse(history.plan) as Plan
  return { plan, graph: compileGraph(plan), sha256: sha256Hex(history.plan) }
}

export function recordsOf(events: readonly StoredEvent[]): readonly LogRecord[] {
  return events.map((stored) => {
    const record = recordOf(stored)
    if (!record.ok) throw new Error(record.problems[0]?.message ?? 'unreadable')
    return record.value
  })
}

/** Which rules a later version needs of its drivers is not part of what a log means. */
function summaryFor(state: RunState): Readonly<Record<string, unknown>> {
  const { minRulesVersion: _min, ...summary } = summaryOf(state)
  return summary
}

export function resultOf(records: readonly LogRecord[], plan: LoadedPlan): HistoryResult {
  const stops = new Set([1, 2, 3].map((quarter) => Math.floor((records.length * quarter) / 4)))
  const midway: HistoryResult['midway'][number][] = []
  let state = initialState(plan.graph)
  for (const [index, record] of records.entries()) {
    state = evolve(state, foldEventOfRecord(record))
    if (!stops.has(index + 1)) continue
    const { nextWakeAt } = summaryOf(state)
    const owed = openEffects(plan.graph, state, 1).map((effect) => effect.id)
    midway.push({ runSeq: record.runSeq, owed, ...(nextWakeAt === undefined ? {} : { wakeAt: nextWakeAt }) })
  }
  const { view } = projectRun(runMetaOf(records[0]?.runId ?? '', plan.graph, 'embedded'), records)
  const report = verifyDecisions(records, plan)
  if (report.differences.length > 0) throw new Error(JSON.stringify(report.differences[0]))
  return {
    summary: summaryFor(state),
    snapshotSha256: snapshotHash(snapshotOf(view)),
    midway,
    decisions: report.decisions,
    rederived: report.rederived,
  }
}
