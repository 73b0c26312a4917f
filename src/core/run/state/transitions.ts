/**
 * The only table of legal moves: (status × event → status) for runs, step attempts and compensation attempts.
 * Decider, fold, append check and views all ask here; nothing else encodes a transition.
 */
export type RunStatus = 'PENDING' | 'APPROVED' | 'RUNNING' | 'PAUSED' | 'COMPLETED' | 'FAILED' | 'CANCELLED'
export type AttemptStatus = 'PENDING' | 'RUNNING' | 'SUCCESS' | 'FAILED' | 'SKIPPED'
export type CompensationStatus = 'PENDING' | 'RUNNING' | 'DONE' | 'FAILED'

type Table<S extends string> = { readonly [status in S]: { readonly [eventType: string]: S } }

export const RUN_TRANSITIONS: Table<RunStatus> = {
  PENDING: {
    RunQueued: 'PENDING',
    RunValidated: 'PENDING',
    RunApproved: 'APPROVED',
    RunFailed: 'FAILED',
    RunCancelled: 'CANCELLED',
  },
  APPROVED: { RunQueued: 'APPROVED', RunStarted: 'RUNNING', RunFailed: 'FAILED', RunCancelled: 'CANCELLED' },
  RUNNING: { RunPaused: 'PAUSED', RunCompleted: 'COMPLETED', RunFailed: 'FAILED', RunCancelled: 'CANCELLED' },
  PAUSED: { RunResumed: 'RUNNING', RunCancelled: 'CANCELLED' },
  COMPLETED: {},
  FAILED: {},
  CANCELLED: {},
}

export const ATTEMPT_TRANSITIONS: Table<AttemptStatus> = {
  PENDING: { StepStarted: 'RUNNING', StepSkipped: 'SKIPPED' },
  RUNNING: { StepCompleted: 'SUCCESS', StepFailed: 'FAILED' },
  SUCCESS: {},
  FAILED: {},
  SKIPPED: {},
}

export const COMPENSATION_TRANSITIONS: Table<CompensationStatus> = {
  PENDING: { CompensationStarted: 'RUNNING' },
  RUNNING: { CompensationCompleted: 'DONE', CompensationFailed: 'FAILED' },
  DONE: {},
  FAILED: {},
}

/** Events that may follow a terminal event of a run (P-48). */
export const AFTER_END: ReadonlySet<string> = new Set([
  'SignalAccepted',
  'SignalRejected',
  'LateOutcomeRecorded',
  'RunForked',
  'AlertRaised',
  'AlertEscalated',
  'ErasureRecorded',
])

export function runTransition(status: RunStatus, eventType: string): RunStatus | undefined {
  return RUN_TRANSITIONS[status][eventType]
}

export function attemptTransition(status: AttemptStatus, eventType: string): AttemptStatus | undefined {
  return ATTEMPT_TRANSITIONS[status][eventType]
}

export function compensationTransition(status: CompensationStatus, eventType: string): CompensationStatus | undefined {
  return COMPENSATION_TRANSITIONS[status][eventType]
}

/** What a refused move looked like, for whoever meets its error (SSM-14). */
export function refusedMove(
  table: Table<string>,
  actualState: string,
  attemptedEventType: string,
): { details: Readonly<Record<string, unknown>> } {
  const expectedState = Object.keys(table).filter((status) => table[status]?.[attemptedEventType] !== undefined)
  return { details: { invalidTransitionDetected: true, expectedState, actualState, attemptedEventType } }
}

export function isTerminalRun(status: RunStatus): boolean {
  return status === 'COMPLETED' || status === 'FAILED' || status === 'CANCELLED'
}

/** Ended, or set aside and driven by nobody: whoever waits for its end is told where it stands. */
export function isSettled({
  status,
  quarantine,
}: {
  readonly status: RunStatus
  readonly quarantine?: string
}): boolean {
  return isTerminalRun(status) || quarantine !== undefined
}

export function isTerminalAttempt(status: AttemptStatus): boolean {
  return status === 'SUCCESS' || status === 'FAILED' || status === 'SKIPPED'
}
