/**
 * The one mapping of each foreign vocabulary to ours: the action states and run statuses of foreign workflows, and the
 * step and execution states of foreign HTTP answers. Edges use these tables; inside, only our own words exist.
 */
import { isTerminalRun, type AttemptStatus, type RunStatus } from '../../run/state/transitions.ts'
import type { RunSnapshot, StepSnapshot } from './run-snapshot.ts'
import { CANCELLED_CODE } from './slot-facts.ts'

export const ACTION_STATES = [
  'Pending',
  'Running',
  'WaitingForManualCompletion',
  'Succeeded',
  'Failed',
  'Cancelled',
] as const
export type ActionState = (typeof ACTION_STATES)[number]

/** The meaning of a foreign word. `code` and `substatus` are given where the status alone is not enough. */
export interface StepMeaning {
  readonly status: AttemptStatus
  readonly code?: typeof CANCELLED_CODE
  readonly waitingForManualCompletion?: true
  readonly runSubstatus?: 'RETRYING'
}

export const STEP_OF_ACTION: { readonly [state in ActionState]: StepMeaning } = {
  Pending: { status: 'PENDING' },
  Running: { status: 'RUNNING' },
  WaitingForManualCompletion: { status: 'RUNNING', waitingForManualCompletion: true },
  Succeeded: { status: 'SUCCESS' },
  Failed: { status: 'FAILED' },
  Cancelled: { status: 'FAILED', code: CANCELLED_CODE },
}

/** Only these moves of an action exist; the move to WaitingForManualCompletion only for a manual one (SSM-20). */
const ACTION_MOVES: { readonly [from in ActionState]: readonly ActionState[] } = {
  Pending: ['Running', 'Cancelled'],
  Running: ['WaitingForManualCompletion', 'Succeeded', 'Failed', 'Cancelled'],
  WaitingForManualCompletion: ['Succeeded', 'Failed', 'Cancelled'],
  Succeeded: [],
  Failed: [],
  Cancelled: [],
}

export function actionMayMove(from: ActionState, to: ActionState, isManual: boolean): boolean {
  return ACTION_MOVES[from].includes(to) && (isManual || to !== 'WaitingForManualCompletion')
}

/**
 * A skipped step becomes Cancelled: it never ran, and Pending → Cancelled is the only move that says so. A step that
 * never started in a run that has ended is Cancelled too.
 */
export function actionStateOf(step: StepSnapshot, run: RunStatus): ActionState {
  switch (step.status) {
    case 'PENDING':
      return isTerminalRun(run) ? 'Cancelled' : 'Pending'
    case 'RUNNING':
      return step.waitingForManualCompletion === true ? 'WaitingForManualCompletion' : 'Running'
    case 'SUCCESS':
      return 'Succeeded'
    case 'FAILED':
      return step.error?.code === CANCELLED_CODE ? 'Cancelled' : 'Failed'
    case 'SKIPPED':
      return 'Cancelled'
  }
}

export const STEP_STATES = [
  'StepPending',
  'StepValidating',
  'StepExecuting',
  'StepSuccess',
  'StepFailed',
  'StepTimeout',
  'StepRetrying',
  'StepSkipped',
  'StepCancelling',
  'StepCancelled',
] as const
export type StepState = (typeof STEP_STATES)[number]

export const STEP_OF_STEP_STATE: { readonly [state in StepState]: StepMeaning } = {
  StepPending: { status: 'PENDING' },
  StepValidating: { status: 'PENDING' },
  StepExecuting: { status: 'RUNNING' },
  StepSuccess: { status: 'SUCCESS' },
  StepFailed: { status: 'FAILED' },
  StepTimeout: { status: 'FAILED' },
  StepRetrying: { status: 'RUNNING', runSubstatus: 'RETRYING' },
  StepSkipped: { status: 'SKIPPED' },
  StepCancelling: { status: 'RUNNING' },
  StepCancelled: { status: 'FAILED', code: CANCELLED_CODE },
}

/** The word for a step in foreign HTTP answers. */
export function stepWord(
  step: Pick<StepSnapshot, 'status' | 'error'>,
  run: RunStatus,
): 'pending' | 'running' | 'completed' | 'failed' | 'skipped' | 'cancelled' {
  switch (step.status) {
    case 'PENDING':
      return isTerminalRun(run) ? 'cancelled' : 'pending'
    case 'RUNNING':
      return 'running'
    case 'SUCCESS':
      return 'completed'
    case 'FAILED':
      return step.error?.code === CANCELLED_CODE ? 'cancelled' : 'failed'
    case 'SKIPPED':
      return 'skipped'
  }
}

export const EXECUTION_STATES = [
  'Pending',
  'Validating',
  'Running',
  'Cancelling',
  'Completed',
  'Failed',
  'Cancelled',
] as const
export type ExecutionState = (typeof EXECUTION_STATES)[number]

/** `status: 'prior'`: the run keeps the status it had. A word is in the substatus as `<engine>/WORD` (STO-27). */
export interface RunMeaning {
  readonly status: RunStatus | 'prior'
  readonly word?: 'VALIDATING' | 'CANCELLING'
}

export const RUN_OF_EXECUTION: { readonly [state in ExecutionState]: RunMeaning } = {
  Pending: { status: 'PENDING' },
  Validating: { status: 'prior', word: 'VALIDATING' },
  Running: { status: 'RUNNING' },
  Cancelling: { status: 'prior', word: 'CANCELLING' },
  Completed: { status: 'COMPLETED' },
  Failed: { status: 'FAILED' },
  Cancelled: { status: 'CANCELLED' },
}

/** The lower-case word for a run in foreign HTTP answers; `paused` is ours, since they have none. */
export function executionWord({ status, substatus }: Pick<RunSnapshot, 'status' | 'substatus'>): string {
  if (!isTerminalRun(status) && substatus?.endsWith('/CANCELLING') === true) return 'cancelling'
  if (!isTerminalRun(status) && substatus?.endsWith('/VALIDATING') === true) return 'validating'
  return status === 'APPROVED' ? 'pending' : status.toLowerCase()
}

export const RUN_V1_STATUSES = [
  'Pending',
  'Running',
  'WaitingForApproval',
  'Paused',
  'Succeeded',
  'Failed',
  'Cancelled',
] as const
export type RunV1Status = (typeof RUN_V1_STATUSES)[number]

export const RUN_OF_RUN_V1: {
  readonly [status in RunV1Status]: { readonly status: RunStatus; readonly substatus?: 'WAITING_APPROVAL' }
} = {
  Pending: { status: 'PENDING' },
  WaitingForApproval: { status: 'PENDING', substatus: 'WAITING_APPROVAL' },
  Running: { status: 'RUNNING' },
  Paused: { status: 'PAUSED' },
  Succeeded: { status: 'COMPLETED' },
  Failed: { status: 'FAILED' },
  Cancelled: { status: 'CANCELLED' },
}

export function runV1StatusOf({ status, substatus }: Pick<RunSnapshot, 'status' | 'substatus'>): RunV1Status {
  if (status === 'PENDING' && substatus === 'WAITING_APPROVAL') return 'WaitingForApproval'
  const words = {
    PENDING: 'Pending',
    APPROVED: 'Pending',
    RUNNING: 'Running',
    PAUSED: 'Paused',
    COMPLETED: 'Succeeded',
    FAILED: 'Failed',
    CANCELLED: 'Cancelled',
  } as const
  return words[status]
}

/** Who ends an action of a foreign workflow: by the tier of the workflow, unless the action has its own (MAN-14). */
export const EXECUTION_TIERS = ['Auto', 'Assisted', 'HumanApprove', 'ManualOnly'] as const
export type ExecutionTier = (typeof EXECUTION_TIERS)[number]

export function completionModeOf(workflow: ExecutionTier, override?: ExecutionTier): 'manual' | 'auto' {
  return (override ?? workflow) === 'ManualOnly' ? 'manual' : 'auto'
}
