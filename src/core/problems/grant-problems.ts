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
  RUN_LIMIT_REACHED: {
    title: 'A limit for starts has no room.',
    retryable: true,
    did: 'Nothing was stored, and the request may be repeated under the same id.',
    todo: 'Try again after the time that Retry-After says. `keelson limits` shows the limits, and who set them.',
  },
  PAUSE_NOT_FOUND: {
    title: 'There is no pause of that plan or tenant.',
    retryable: false,
    did: 'Nothing was changed.',
    todo: '`keelson pauses` lists what pauses runs as a whole. A single run that a person paused is resumed by `keelson resume <run>`.',
  },
  PAUSE_INVALID: {
    title: 'Only a whole plan or the whole tenant can be paused in this way.',
    retryable: false,
    did: 'Nothing was changed.',
    todo: 'Name `tenant`, or `plan:` and the id of a plan. A single run is paused by `keelson pause <run>`.',
  },
  LIMIT_NOT_FOUND: {
    title: 'There is no limit of that name.',
    retryable: false,
    did: 'Nothing was changed.',
    todo: '`keelson limits` lists the limits of the tenant.',
  },
  LIMIT_INVALID: {
    title: 'The limit cannot be set as it was given.',
    retryable: false,
    did: 'Nothing was changed.',
    todo: 'A limit is called tenant, plan:<planId> or key:<planId>, and has at least one of maxRunning, ratePerMinute and maxConcurrentSteps.',
  },
  VIEW_NOT_FOUND: {
    title: 'You have no saved view of this id.',
    retryable: false,
    did: 'Nothing was changed.',
    todo: "`GET /v1/views` lists the views that you see. Another person's view is removed by that person, and a shared one by an administrator.",
  },
  VIEW_INVALID: {
    title: 'The view cannot be saved as it was given.',
    retryable: false,
    did: 'Nothing was saved.',
    todo: 'Shorten the name or the filter, correct the part that the message names, or remove a view that you no longer use.',
  },
  PLAN_OVER_QUOTA: {
    title: 'The plan asks for more steps at once than its tenant may have.',
    retryable: false,
    did: 'Nothing was stored.',
    todo: 'Lower `policy.concurrency` of the plan, or have an administrator raise the limit of the tenant.',
  },
} as const
