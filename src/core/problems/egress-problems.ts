/** Codes of what steps do outside: requests through the one door, and programs they start. */
export const EGRESS_PROBLEMS = {
  EGRESS_REFUSED: {
    title: 'A request would have gone to a place it may not go to.',
    retryable: false,
    did: 'No connection was made; the attempt failed and is not retried.',
    todo: 'If the place is meant, name it: `keelson run … --allow-host <host>`, or `egress: { allow: [host] }` in openKeelson.',
  },
  EGRESS_ALLOW_INVALID: {
    title: 'An allowed host is written in a way Keelson does not understand.',
    retryable: false,
    did: 'Nothing was started.',
    todo: 'Write a host (api.example.com, *.example.com), an address or a range (10.0.0.0/8), each with :port if you like; no scheme, no path.',
  },
  REQUEST_INVALID: {
    title: 'The URL, a header or the query of a request cannot be sent as it was built.',
    retryable: false,
    did: 'Nothing was sent; the attempt failed permanently.',
    todo: 'Look at the values that ${…} put into the `http` fields of the step.',
  },
  RESPONSE_INVALID: {
    title: 'The answer to a request is not what the step expects, or cannot be kept as it was sent.',
    retryable: false,
    did: 'The answer was thrown away; the attempt failed permanently.',
    todo: 'Write `expect: text` or `expect: none` if the answer is not JSON, `bigints: text` if it has whole numbers beyond 2^53, or correct the service.',
  },
  RESPONSE_TOO_LARGE: {
    title: 'The answer to a request is larger than 10 MB.',
    retryable: false,
    did: 'Reading was stopped and the connection closed; the attempt failed permanently.',
    todo: 'Ask for less, or write a function that stores the answer elsewhere and returns a pointer to it.',
  },
  REDIRECT_REFUSED: {
    title: 'A request was redirected too often, or from https to http.',
    retryable: false,
    did: 'The redirect was not followed; the attempt failed permanently.',
    todo: 'Write the address where the redirects end into the plan.',
  },
  COMMANDS_OFF: {
    title: 'The plan starts programs, which this process does not do.',
    retryable: false,
    did: 'The run was not started.',
    todo: 'Trust the plan? Then open with `openKeelson({ commands: true })`, or run it with `keelson run`.',
  },
  COMMAND_FAILED: {
    title: 'A program that a step started ended with another exit code than 0, or by a signal.',
    retryable: true,
    did: 'The attempt failed with the exit code and the end of what the program wrote to stderr; it is retried if the policy allows.',
    todo: 'Read the error text; run the program by hand with the same arguments.',
  },
  COMMAND_NOT_STARTED: {
    title: 'A program could not be started: it, or its folder, was not found or may not be used.',
    retryable: false,
    did: 'The attempt failed permanently.',
    todo: 'Check argv and cwd. There is no shell, and of the environment only PATH and what the plan gives.',
  },
} as const
