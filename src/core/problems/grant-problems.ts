/** Codes about agents and resources, which runs share. */
export const GRANT_PROBLEMS = {
  CAPACITY_INVALID: {
    title: 'How much there is of an agent or a resource is not a whole number.',
    retryable: false,
    did: 'Nothing was opened, and no capacity was changed.',
    todo: 'Give whole numbers, 0 or more; where steps need half of something, count it in smaller units.',
  },
  RESOURCE_UNKNOWN: {
    title: 'A step wants a resource that nobody has declared here.',
    retryable: false,
    did: 'The run was not started.',
    todo: 'Declare how much of it there is, with `keelson resources set <name> --capacity <n>` or the `resources` option.',
  },
  RESOURCE_EXCEEDED: {
    title: 'A step wants more of a resource than there is in all.',
    retryable: false,
    did: 'Nothing waits for it: the run was not started, or the step failed at once.',
    todo: 'Ask for less in the plan, or raise the capacity with `keelson resources set <name> --capacity <n>`.',
  },
} as const
