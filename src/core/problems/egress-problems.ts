/** Codes of what steps do outside: requests through the one door, and programs they start. */
import { LIMITS } from '../limits.ts'
import { sizeText } from '../size-text.ts'

export const EGRESS_PROBLEMS = {
  EGRESS_REFUSED: {
    title: 'The request goes to an address that is not allowed.',
    retryable: false,
    did: 'No connection was made; the attempt failed and is not retried.',
    todo: 'To allow the address, name it: `keelson run … --allow-host <host>`, or `egress: { allow: [host] }` in openKeelson.',
  },
  EGRESS_ALLOW_INVALID: {
    title: 'Keelson does not understand the form of an allowed host.',
    retryable: false,
    did: 'Nothing was started.',
    todo: 'Write a host (api.example.com, *.example.com), an address or a range (10.0.0.0/8), optionally with :port. Do not write a scheme or a path.',
  },
  REQUEST_INVALID: {
    title: 'The URL, a header or the query of a request is not valid and cannot be sent.',
    retryable: false,
    did: 'Nothing was sent. The attempt failed permanently.',
    todo: 'Check the values that ${…} put into the `http` fields of the step.',
  },
  RESPONSE_INVALID: {
    title: 'The answer to a request is not what the step expects, or cannot be stored exactly.',
    retryable: false,
    did: 'The answer was discarded. The attempt failed permanently.',
    todo: 'Write `expect: text` or `expect: none` if the answer is not JSON, `bigints: text` if it has whole numbers beyond 2^53, or correct the service.',
  },
  RESPONSE_TOO_LARGE: {
    title: `The answer to a request is larger than ${sizeText(LIMITS.egressAnswerBytes)}.`,
    retryable: false,
    did: 'Reading was stopped and the connection closed; the attempt failed permanently.',
    todo: 'Ask for less, or write a function that stores the answer elsewhere and returns a pointer to it.',
  },
  REDIRECT_REFUSED: {
    title: 'A request was redirected too often, or from https to http.',
    retryable: false,
    did: 'The redirect was not followed; the attempt failed permanently.',
    todo: 'Write the final address into the plan.',
  },
  RUN_LOCKED: {
    title: 'A locked run needs something that is not allowed.',
    retryable: false,
    did: 'Before the start: nothing was started. During the run: the action was not done, and the attempt failed permanently. The lock is in the log; no other process can remove it.',
    todo: 'Read what the message names. To allow it, start the run again with the flags in the message.',
  },
  COMMANDS_OFF: {
    title: 'The plan starts programs, but this process does not allow that.',
    retryable: false,
    did: 'The run was not started.',
    todo: 'If you trust the plan, use `openKeelson({ commands: true })`, or run it with `keelson run`.',
  },
  COMMAND_FAILED: {
    title: 'A program that a step started ended with an exit code other than 0, or by a signal.',
    retryable: true,
    did: 'The attempt failed with the exit code and the last part of stderr. It is retried if the policy allows.',
    todo: 'Read the error text. Run the program by hand with the same arguments.',
  },
  COMMAND_NOT_STARTED: {
    title: 'A program could not be started: the program or its folder was not found or may not be used.',
    retryable: false,
    did: 'The attempt failed permanently.',
    todo: 'Check argv and cwd. There is no shell. The environment has only PATH and what the plan gives.',
  },
} as const
