/** What a journal says of an event in one word: the state that its step or its run is in after it (API-17). */
import type { EventType, LogRecord } from '../../events/event.ts'
import type { AttemptStatus, RunStatus } from '../../run/state/transitions.ts'
import type { StepSnapshot } from '../fold/run-snapshot.ts'
import { executionWord, stepWord, type ActionState } from '../fold/vocabulary.ts'

const OF_STEP: Partial<Record<EventType, AttemptStatus>> = {
  StepStarted: 'RUNNING',
  StepCompleted: 'SUCCESS',
  StepFailed: 'FAILED',
  StepSkipped: 'SKIPPED',
}

const OF_RUN: Partial<Record<EventType, RunStatus>> = {
  RunQueued: 'PENDING',
  RunApproved: 'APPROVED',
  RunStarted: 'RUNNING',
  RunPaused: 'PAUSED',
  RunResumed: 'RUNNING',
  RunCompleted: 'COMPLETED',
  RunFailed: 'FAILED',
  RunCancelled: 'CANCELLED',
}

const WAITING: ActionState = 'WaitingForManualCompletion'

/** Undefined for an event after which everything is in the state it was in. */
export function journalWord({ eventType, payload }: Pick<LogRecord, 'eventType' | 'payload'>): string | undefined {
  if (eventType === 'ManualTaskOpened') return WAITING
  const step = Object.hasOwn(OF_STEP, eventType) ? OF_STEP[eventType as EventType] : undefined
  if (step !== undefined) return capital(stepWord({ status: step, ...errorOf(payload) }, 'RUNNING'))
  const run = Object.hasOwn(OF_RUN, eventType) ? OF_RUN[eventType as EventType] : undefined
  return run === undefined ? undefined : capital(executionWord({ status: run }))
}

/** A cancelled step is a StepFailed with that code in the log. */
function errorOf(payload: LogRecord['payload']): Pick<StepSnapshot, 'error'> {
  const error = payload?.['error']
  return typeof error === 'object' && error !== null ? { error: error as NonNullable<StepSnapshot['error']> } : {}
}

function capital(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`
}
