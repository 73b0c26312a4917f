/**
 * Starts one occurrence of a schedule. Its request key is made of the schedule and the instant, so that however many processes start it,
 * and however often, there is one run.
 */
import { toldOutside } from '../../core/problems/outside.ts'
import { KeelsonError } from '../../core/problems/problem.ts'
import type { Json } from '../../core/plan/plan.ts'
import { unwrap } from '../../core/result.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import { occurrenceKey, occurrenceRunId } from '../../core/schedule/owed.ts'
import { isoFromMs } from '../../core/time.ts'
import type { RunRow, RunStore } from '../../ports/run-store.ts'
import { mapValue } from '../expressions/map-input.ts'
import type { Happened, Schedule } from './record.ts'

/** What starts runs without a person, in the name of whoever set it up. */
export interface RunStarter {
  start(asked: StartAsked): Promise<string>
  cancel(tenantId: string, runId: string, actorId: string, reason: string): Promise<void>
}

export interface StartAsked {
  readonly tenantId: string
  readonly actorId: string
  /** Whoever said what is started: a checker of the run must be somebody else. */
  readonly setUpBy: readonly string[]
  readonly source: 'schedule' | 'webhook'
  readonly planId: string
  readonly planVersion?: string
  readonly input?: unknown
  readonly requestId: string
  readonly runId: string
}

export interface Starting {
  readonly store: RunStore
  readonly runs: RunStarter
}

export function actorOf(scheduleId: string): string {
  return `schedule:${scheduleId}`
}

/** The run that was started for the occurrence before. */
export async function runOf(store: RunStore, schedule: Schedule, at: number): Promise<string | undefined> {
  const { tenantId, scheduleId } = schedule
  return (await store.findRun({ tenantId, runId: occurrenceRunId(scheduleId, isoFromMs(at)) }))?.runId
}

/** How the runs stand that the last occurrences started. One that was erased is not told. */
export async function recentRuns(store: RunStore, { tenantId, record }: Schedule): Promise<RecentRuns> {
  const standing = new Map<string, RunRow['status']>()
  for (const { runId } of record.recent) {
    const row = runId === undefined ? undefined : await store.findRun({ tenantId, runId })
    if (row !== undefined) standing.set(row.runId, row.status)
  }
  return standing
}

export type RecentRuns = ReadonlyMap<string, RunRow['status']>

/** A run that was set aside holds nobody up. */
export async function isLive(store: RunStore, tenantId: string, runId: string | undefined): Promise<boolean> {
  const row = runId === undefined ? undefined : await store.findRun({ tenantId, runId })
  return row !== undefined && !isTerminalRun(row.status) && row.quarantine === undefined
}

/** A limit for starts refuses what it has no room for (BPQ-02): the occurrence is over, as the request of a person would be. */
const REFUSED_BY_LIMIT = 'RUN_LIMIT_REACHED'

/** Had the limit no room for it? */
export function isWithoutRoom({ code }: Pick<Happened, 'code'>): boolean {
  return code === REFUSED_BY_LIMIT
}

/** What cannot be started is told, what may work later is thrown. `askedBy`: of a backfill. */
export async function startOccurrence(
  { store, runs }: Starting,
  schedule: Schedule,
  at: number,
  askedBy?: string,
): Promise<Happened> {
  const { tenantId, scheduleId, record } = schedule
  const { planId, planVersion } = record.definition
  try {
    const input = inputOf(schedule, at)
    const runId = await runs.start({
      tenantId,
      actorId: actorOf(scheduleId),
      setUpBy: [record.definedBy ?? record.updatedBy, ...(askedBy === undefined ? [] : [askedBy])],
      source: 'schedule',
      planId,
      ...(planVersion === undefined ? {} : { planVersion }),
      ...(input === undefined ? {} : { input }),
      requestId: occurrenceKey(scheduleId, isoFromMs(at)),
      runId: occurrenceRunId(scheduleId, isoFromMs(at)),
    })
    return { at, outcome: 'started', runId }
  } catch (thrown) {
    if (!(thrown instanceof KeelsonError) || (thrown.problems[0].retryable && !isWithoutRoom(thrown))) throw thrown
    // Another process was faster, with another version of the plan.
    const existing = await runOf(store, schedule, at)
    if (existing !== undefined) return { at, outcome: 'started', runId: existing }
    const [{ code, message }] = toldOutside(thrown.problems)
    return { at, outcome: 'failed', code, reason: message }
  }
}

function inputOf({ scheduleId, record }: Schedule, at: number): unknown {
  const { input, zone } = record.definition
  return input === undefined
    ? undefined
    : unwrap(mapValue(input as Json, { input: { at: isoFromMs(at), scheduleId, zone } }))
}
