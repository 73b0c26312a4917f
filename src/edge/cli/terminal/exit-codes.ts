/** The meaning of exit codes, so that scripts need not read text. Documented in docs/guides/command-line.md. */
import type { ProblemCode } from '../../../core/problems/registry.ts'
import type { RunStatus } from '../../../core/run/state/transitions.ts'

export const EXIT = {
  completed: 0,
  failed: 1,
  usage: 2,
  cancelled: 3,
  detached: 4,
  refused: 5,
  environment: 6,
  cutShort: 7,
} as const

/** This command left a run that has not ended. */
export function exitOfStatus(status: RunStatus): number {
  if (status === 'COMPLETED') return EXIT.completed
  if (status === 'FAILED') return EXIT.failed
  return status === 'CANCELLED' ? EXIT.cancelled : EXIT.detached
}

const REFUSED: readonly ProblemCode[] = [
  'AUTHZ_DENIED',
  'NOT_AUTHENTICATED',
  'LOGIN_FAILED',
  'LOGIN_OVER',
  'PLAN_INLINE_REFUSED',
  'SERVER_REFUSED',
  'AUTHZ_REASON_REQUIRED',
  'PERSON_NOT_NAMED',
  'APPROVAL_SPENT',
  'FORK_NEEDS_APPROVAL',
  'APPROVAL_BINDS_INPUT',
  'TASK_RULE_UNKNOWN',
  'RUN_LOCKED',
]
/** This process ended before its work did. */
const CUT_SHORT: readonly ProblemCode[] = ['EXITED_EARLY', 'NOTHING_LEFT', 'STRAY_ERROR']
const ENVIRONMENT: readonly ProblemCode[] = [
  'NODE_TOO_OLD',
  'INTERNAL',
  'RUN_DRIVEN_ELSEWHERE',
  'RUN_QUARANTINED',
  'KEYS_NOT_CONFIGURED',
  'FILE_UNUSABLE',
  'STATE_LINK_REFUSED',
  'RUN_ON_OTHER_ENGINE',
  'ENGINE_DRIVER_MISSING',
  'TEMPORAL_CLIENT_NOT_CONNECTED',
  'TEMPORAL_SERVER_MISSING',
  'TEMPORAL_PORT_TAKEN',
  'ADAPTER_PROVIDER_ERROR',
  'ADDRESS_UNUSABLE',
  'SERVER_UNREACHABLE',
  'SERVER_NOT_KEELSON',
  'SERVER_BUSY',
  'RATE_EXCEEDED',
]
/** The state of the run or the task does not allow the request; the request itself was valid. */
const NOT_NOW: readonly ProblemCode[] = [
  'RUN_TERMINAL',
  'RUN_NOT_RUNNING',
  'RUN_NOT_WAITING',
  'RUN_NOT_QUEUED',
  'RUN_NOT_TERMINAL',
  'STEP_NOT_TERMINAL',
  'STEP_TERMINAL',
  'STEP_RUNNING',
  'STEP_NOT_FAILED',
  'TASK_NOT_OPEN',
  'TASK_CHANGED',
  'RESTORE_REFUSED',
  'ENGINE_UNCHANGED',
  'RUN_NOT_DRAINED',
  'FORK_REPEATS_IRREVERSIBLE',
  'FORK_UNDER_WAY',
  'RUN_ERASED',
  'RUN_FOREIGN',
]

export function exitOfProblem(code: ProblemCode): number {
  if (REFUSED.includes(code)) return EXIT.refused
  if (CUT_SHORT.includes(code)) return EXIT.cutShort
  if (NOT_NOW.includes(code) || code === 'BUNDLE_BROKEN') return EXIT.failed
  return ENVIRONMENT.includes(code) || code.startsWith('STORE_') ? EXIT.environment : EXIT.usage
}
