/**
 * A run whose plan no longer has the hash it was started with: nothing of it may be executed. It is failed from its log
 * alone, without the plan: open attempts are closed, a P1 alert is raised, RunFailed ends it (PLN-06, SSM-16).
 */
import type { LogRecord } from '../../core/events/event.ts'
import { alertSlot, RUN_SLOT } from '../../core/events/slot.ts'
import { KeelsonError } from '../../core/problems/problem.ts'
import type { Draft } from '../../core/run/draft.ts'
import { runTransition } from '../../core/run/state/transitions.ts'
import { isoFromMs } from '../../core/time.ts'
import type { RunKey, RunRow, RunStore, RunSummary } from '../../ports/run-store.ts'
import type { CommitQueue } from '../commit/queue.ts'
import { identityOf } from '../loaded/load-run.ts'
import { recordOf } from '../log/read-events.ts'
import { storedEvents } from '../log/stored-events.ts'
import type { Services } from '../services.ts'
import { commitTurn } from './commit-turn.ts'

const CODE = 'PLAN_INTEGRITY_VALIDATION_FAILED'

/** True when the run was failed here. A paused run cannot fail; it stays as it is and is failed once resumed by hand. */
export async function failAlteredRun(
  services: Services,
  queue: CommitQueue,
  runKey: RunKey,
  thrown: unknown,
): Promise<boolean> {
  if (!(thrown instanceof KeelsonError) || thrown.code !== CODE) return false
  const row = await services.store.getRun(runKey)
  if (row === undefined || runTransition(row.status, 'RunFailed') === undefined) return false
  const now = services.clock.now()
  const decision = { firstSeq: row.nextSeq, cause: 'integrity' }
  const drafts = alteredRunDrafts(await openAttempts(services.store, row), row.nextSeq, now, thrown.message)
  const { epoch, nextSeq, headHash } = row
  const { result } = await commitTurn(
    services,
    queue,
    { identity: identityOf(row), nextSeq, headHash },
    {
      drafts: drafts.map((draft) => ({ draft, decision })),
      now,
      beside: {
        runKey,
        expected: { epoch, nextSeq },
        summary: endSummary(row, now),
        releases: 'all',
        waits: [],
        eventWaits: { opened: [], closed: 'all' },
      },
    },
  )
  return result.kind === 'committed'
}

/** The events that are written for such a run. Pure, so that it can be checked later like every other decision. */
export function alteredRunDrafts(
  open: Iterable<OpenAttempt>,
  firstSeq: number,
  now: number,
  message: string,
): readonly Draft[] {
  return [...[...open].map((one) => closing(one, now)), ...ending(firstSeq, now, message)]
}

function endSummary(row: RunRow, endedAt: number): RunSummary {
  const { rulesVersion, minRulesVersion, startedAt, stepsTotal, stepsDone, stepsFailed } = row
  const counts = { rulesVersion, minRulesVersion, stepsTotal, stepsDone, stepsFailed }
  return { status: 'FAILED', ...counts, endedAt, errorCode: CODE, ...(startedAt === undefined ? {} : { startedAt }) }
}

export interface OpenAttempt {
  readonly slot: string
  readonly attempt: number
}

async function openAttempts(store: RunStore, row: RunRow): Promise<readonly OpenAttempt[]> {
  const open = new Map<string, OpenAttempt>()
  for await (const stored of storedEvents(store, row.runKey)) {
    const record = recordOf(stored)
    if (record.ok) noteAttempt(open, record.value)
  }
  return [...open.values()]
}

/** Keeps `open` up to date while a log is read from its beginning. */
export function noteAttempt(open: Map<string, OpenAttempt>, record: LogRecord): void {
  const { stepId: slot } = record
  if (slot === undefined) return
  if (record.eventType === 'StepStarted') open.set(slot, { slot, attempt: record.logicalAttemptId })
  if (record.eventType === 'StepCompleted' || record.eventType === 'StepFailed') open.delete(slot)
}

function closing({ slot, attempt }: OpenAttempt, now: number): Draft {
  const error = { code: 'CANCELLED', retryable: false, errorClass: 'cancelled' } as const
  return {
    eventType: 'StepFailed',
    slot,
    attempt,
    payload: { error, failedAt: isoFromMs(now), final: true, forced: true },
  }
}

function ending(firstSeq: number, now: number, message: string): Draft[] {
  const at = isoFromMs(now)
  const error = { code: CODE, retryable: false, errorClass: 'validation', category: 'validation' } as const
  return [
    {
      eventType: 'AlertRaised',
      slot: alertSlot(CODE, RUN_SLOT, firstSeq),
      attempt: 1,
      payload: { code: CODE, priority: 'P1', raisedAt: at },
    },
    {
      eventType: 'RunFailed',
      slot: RUN_SLOT,
      attempt: 1,
      payload: { failedAt: at, error },
      data: { errorText: { message } },
    },
  ]
}
