/**
 * A run whose plan no longer has the hash it was started with: nothing of it may be executed. It is failed from its log
 * alone, without the plan: open attempts are closed, a P1 alert is raised, RunFailed ends it (PLN-06, SSM-16).
 */
import type { LogRecord } from '../../core/events/event.ts'
import { alertSlot, RUN_SLOT } from '../../core/events/slot.ts'
import { KeelsonError } from '../../core/problems/problem.ts'
import type { Draft } from '../../core/run/draft.ts'
import type { People } from '../../core/run/state/people.ts'
import { runTransition } from '../../core/run/state/transitions.ts'
import { isoFromMs } from '../../core/time.ts'
import type { TurnResult, WrittenEvent } from '../../ports/engine.ts'
import type { RunCommit, RunKey, RunRow, RunStore, RunSummary } from '../../ports/run-store.ts'
import type { CommitQueue } from '../commit/queue.ts'
import { parentSignalRow } from '../inbox/parent-signal-row.ts'
import { identityOf } from '../loaded/load-run.ts'
import { childRunId } from '../log/derived-uuid.ts'
import { recordOf } from '../log/read-events.ts'
import { storedEvents } from '../log/stored-events.ts'
import type { Services } from '../services.ts'
import { noticeToParent } from './child-end.ts'
import { commitTurn } from './commit-turn.ts'

const CODE = 'PLAN_INTEGRITY_VALIDATION_FAILED'
const CLASS = 'validation'

/** Who did what in the run cannot be folded without its plan: its parent is told that something is missing. */
const UNKNOWN_PEOPLE: People = { makers: [], approvals: [], stoppedBy: [], isCut: true }
const END = { status: 'FAILED', errorCode: CODE, errorClass: CLASS, people: UNKNOWN_PEOPLE } as const

/**
 * The turn that failed the run, which everybody is told of as of any other. Undefined: it was not failed here. A paused run cannot
 * fail; it stays as it is and is failed once resumed by hand.
 */
export async function failAlteredRun(
  services: Services,
  queue: CommitQueue,
  runKey: RunKey,
  thrown: unknown,
): Promise<TurnResult | undefined> {
  if (!(thrown instanceof KeelsonError) || thrown.code !== CODE) return undefined
  const row = await services.store.getRun(runKey)
  if (row === undefined || runTransition(row.status, 'RunFailed') === undefined) return undefined
  const now = services.clock.now()
  const decision = { firstSeq: row.nextSeq, cause: 'integrity' }
  const open = await openAttempts(services.store, row)
  const drafts = alteredRunDrafts(open, row.nextSeq, now, thrown.message)
  const { epoch, nextSeq, headHash } = row
  const { result, written } = await commitTurn(
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
        notify: [...noticeToParent(row, END), ...stopChildren(row, open)],
      },
    },
  )
  return result.kind === 'committed' ? failedTurn(row, drafts, written) : undefined
}

/** Which steps start children only the plan tells: what is no child's id is nobody's. */
function stopChildren({ tenantId, runId }: RunRow, open: readonly OpenAttempt[]): NonNullable<RunCommit['notify']> {
  return open.map(({ slot, attempt }) => {
    const child = childRunId(runId, slot, attempt)
    const row = parentSignalRow({ parentRunId: runId, childRunId: child, signalType: 'CANCEL', cycle: 1 })
    return { run: { tenantId, runId: child }, row }
  })
}

/** What it held is free again, and its parent was told in the same commit. */
function failedTurn(row: RunRow, drafts: readonly Draft[], written: readonly WrittenEvent[]): TurnResult {
  const last = drafts.at(-1)
  return {
    epoch: row.epoch,
    headSeq: row.nextSeq + drafts.length - 1,
    status: 'FAILED',
    effects: [],
    freed: true,
    wakeAt: undefined,
    terminal: true,
    written,
    ...(row.parent === undefined ? {} : { told: true }),
    ...(last === undefined ? {} : { end: last }),
  }
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
  const error = { code: CODE, retryable: false, errorClass: CLASS, category: 'validation' } as const
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
