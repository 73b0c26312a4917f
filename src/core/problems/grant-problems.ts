/** Codes about agents and resources, which runs share. */
export const GRANT_PROBLEMS = {
  CAPACITY_INVALID: {
    title: 'The capacity of an agent or a resource is not a whole number.',
    retryable: false,
    did: 'Nothing was opened, and no capacity was changed.',
    todo: 'Give whole numbers, 0 or more. If steps need half of something, count in smaller units.',
  },
  RESOURCE_UNKNOWN: {
    title: 'A step needs a resource that is not declared here.',
    retryable: false,
    did: 'The run was not started.',
    todo: 'Declare its capacity with `keelson resources set <name> --capacity <n>` or the `resources` option.',
  },
  RESOURCE_EXCEEDED: {
    title: 'A step needs more of a resource than its whole capacity.',
    retryable: false,
    did: 'The run was not started, or the step failed at once without waiting.',
    todo: 'Use less in the plan, or raise the capacity with `keelson resources set <name> --capacity <n>`.',
  },
} as const
