/**
 * Starts one occurrence of a schedule. Its request key is made of the schedule and the instant, so that however many processes start it,
 * and however often, there is one run.
 */
import { KeelsonError } from '../../core/problems/problem.ts'
import type { Json } from '../../core/plan/plan.ts'
import { unwrap } from '../../core/result.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import { occurrenceKey, occurrenceRunId } from '../../core/schedule/owed.ts'
import { isoFromMs } from '../../core/time.ts'
import type { RunStore } from '../../ports/run-store.ts'
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

/** A run that was set aside holds nobody up. */
export async function isLive(store: RunStore, tenantId: string, runId: string | undefined): Promise<boolean> {
  const row = runId === undefined ? undefined : await store.findRun({ tenantId, runId })
  return row !== undefined && !isTerminalRun(row.status) && row.quarantine === undefined
}

/** What cannot be started is told; what may work later is thrown. */
export async function startOccurrence({ store, runs }: Starting, schedule: Schedule, at: number): Promise<Happened> {
  const { tenantId, scheduleId, record } = schedule
  const { planId, planVersion } = record.definition
  try {
    const input = inputOf(schedule, at)
    const runId = await runs.start({
      tenantId,
      actorId: actorOf(scheduleId),
      source: 'schedule',
      planId,
      ...(planVersion === undefined ? {} : { planVersion }),
      ...(input === undefined ? {} : { input }),
      requestId: occurrenceKey(scheduleId, isoFromMs(at)),
      runId: occurrenceRunId(scheduleId, isoFromMs(at)),
    })
    return { at, outcome: 'started', runId }
  } catch (thrown) {
    if (!(thrown instanceof KeelsonError) || thrown.problems[0].retryable) throw thrown
    // Another process was faster, with another version of the plan.
    const existing = await runOf(store, schedule, at)
    if (existing !== undefined) return { at, outcome: 'started', runId: existing }
    const [{ code, message }] = thrown.problems
    return { at, outcome: 'failed', code, reason: message }
  }
}

function inputOf({ scheduleId, record }: Schedule, at: number): unknown {
  const { input, zone } = record.definition
  return input === undefined
    ? undefined
    : unwrap(mapValue(input as Json, { input: { at: isoFromMs(at), scheduleId, zone } }))
}
