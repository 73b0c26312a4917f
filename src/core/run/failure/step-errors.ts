/** The errors that the decider itself ends an attempt with; all others come with an outcome. */
import type { ErrorInfo } from '../../events/event.ts'

export const CANCELLED_ERROR: ErrorInfo = { code: 'CANCELLED', retryable: false, errorClass: 'cancelled' }
export const TIMEOUT_ERROR: ErrorInfo = {
  code: 'TIMEOUT',
  retryable: true,
  errorClass: 'timeout',
  category: 'timeout',
  failureCategory: 'TIMEOUT',
}

/** The whole waiting time has passed: the step does not wait again, but its fallback may run. */
export const EVENT_TIMEOUT_ERROR: ErrorInfo = {
  code: 'EVENT_TIMEOUT',
  retryable: false,
  errorClass: 'timeout',
  category: 'timeout',
  failureCategory: 'TIMEOUT',
}

/** Whether an irreversible effect happened is not known: it is never run again, and the run holds (P-28). */
export const INDETERMINATE_ERROR: ErrorInfo = {
  code: 'INDETERMINATE',
  retryable: false,
  errorClass: 'permanent',
  category: 'infrastructure',
}
