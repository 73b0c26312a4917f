/** Codes that a step's attempt can fail with. */
export const STEP_PROBLEMS = {
  TIMEOUT: {
    title: 'An attempt ran longer than its timeoutMs.',
    retryable: true,
    did: 'The attempt was aborted and recorded as failed; it is retried if the policy allows.',
    todo: 'Raise timeoutMs or make the step quicker.',
  },
  CANCELLED: {
    title: 'An attempt was in flight when its run was cancelled.',
    retryable: false,
    did: 'The attempt was recorded as failed with this code; it does not count among the failed steps.',
    todo: 'Nothing, unless you did not mean to cancel: `keelson signal <run> retry-run` starts over.',
  },
  INDETERMINATE: {
    title: 'An irreversible step may or may not have run when the process died.',
    retryable: false,
    did: 'It was not run again. The run is held until a person decides.',
    todo: 'Find out whether the effect happened, then SKIP_STEP it or RETRY_STEP it.',
  },
  ITEMS_FAILED: {
    title: 'At least one item of a forEach step failed finally.',
    retryable: false,
    did: 'Items in flight were allowed to settle; the step failed naming the lowest failed index.',
    todo: 'Look at the failed item with `keelson why`.',
  },
  DEPENDENCY_FAILED: {
    title: 'A step this one depends on failed.',
    retryable: false,
    did: 'The step was skipped at the end of the run.',
    todo: 'Mend the failed step.',
  },
  CHILD_FAILED: {
    title: 'The child run of a plan step failed.',
    retryable: true,
    did: 'The step attempt failed with the child\'s root cause.',
    todo: 'Look at the child run named in the error.',
  },
  CHILD_CANCELLED: {
    title: 'The child run of a plan step was cancelled.',
    retryable: false,
    did: 'The step failed finally.',
    todo: 'Look at who cancelled the child run.',
  },
  MANUAL_FAILED: {
    title: 'A person reported a manual task as failed.',
    retryable: false,
    did: 'The step failed finally; a manual outcome is never retried by policy.',
    todo: 'Read the notes of the task.',
  },
  MANUAL_CANCELLED: {
    title: 'A person cancelled a manual task.',
    retryable: false,
    did: 'Treated as a final failure of the step.',
    todo: 'Read the notes of the task.',
  },
  MANUAL_EXPIRED: {
    title: 'A manual task was not completed in time.',
    retryable: false,
    did: 'The step failed finally.',
    todo: 'Raise expiresAfterMs, or complete tasks sooner.',
  },
  INPUT_INVALID: {
    title: 'The input of a step could not be built or does not match its inputSchema.',
    retryable: false,
    did: 'The handler was not called; the attempt failed permanently.',
    todo: 'Correct the mapping under `with` or the schema.',
  },
  OUTPUT_INVALID: {
    title: 'The output of a step does not match its outputSchema or cannot be captured.',
    retryable: false,
    did: 'The output was not released to other steps; the attempt failed permanently.',
    todo: 'Correct the handler or the schema.',
  },
  NO_HANDLER: {
    title: 'This process has no function registered under the name a step asks for.',
    retryable: false,
    did: 'The run was not started, or was left alone by this process.',
    todo: 'Export the function from keelson.steps.ts under that name.',
  },
  HANDLER_FAILED: {
    title: 'A step function threw an error that carries no code of its own.',
    retryable: true,
    did: 'The attempt was recorded as failed and classified; it is retried if the policy allows.',
    todo: 'Read the error text; throw an error with a code to tell failures apart.',
  },
  ENGINE_LOST: {
    title: 'The engine gave up on an attempt without an outcome.',
    retryable: true,
    did: 'The attempt was recorded as failed; it is retried if the policy allows.',
    todo: 'Look at the worker that ran it.',
  },
  DECISION_DATA_TOO_LARGE: {
    title: 'The facts of one decision are larger than 16 KiB.',
    retryable: false,
    did: 'The step failed permanently.',
    todo: 'Make the condition, capture or forEach result smaller, or pass it by reference.',
  },
} as const
