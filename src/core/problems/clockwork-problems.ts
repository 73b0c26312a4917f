/** Codes of schedules and triggers: what starts runs without a person. */
export const CLOCKWORK_PROBLEMS = {
  SCHEDULE_INVALID: {
    title: 'The schedule says something that no clock can keep.',
    retryable: false,
    did: 'Nothing was stored.',
    todo: 'Correct the field that is named: see docs/guides/schedules.md.',
  },
  SCHEDULE_NOT_FOUND: {
    title: 'The tenant has no schedule of this name.',
    retryable: false,
    did: 'Nothing was changed.',
    todo: 'See `keelson schedules list`.',
  },
  SCHEDULE_EXISTS: {
    title: 'The tenant has a schedule of this name already.',
    retryable: false,
    did: 'The schedule that exists stays as it is.',
    todo: 'Choose another name, or update the one that exists: `PUT /v1/schedules/{scheduleId}`.',
  },
  SCHEDULE_OF_PLAN: {
    title: 'This schedule belongs to a plan.',
    retryable: false,
    did: 'Nothing was changed.',
    todo: 'Change `schedule` in the file of the plan and publish a new version. It can be paused here.',
  },
  TRIGGER_INVALID: {
    title: 'The trigger says something that cannot be kept.',
    retryable: false,
    did: 'Nothing was stored.',
    todo: 'Correct the field that is named: see docs/guides/schedules.md.',
  },
  TRIGGER_NOT_FOUND: {
    title: 'The tenant has no trigger of this name.',
    retryable: false,
    did: 'Nothing was changed.',
    todo: 'See `GET /v1/triggers`.',
  },
  TRIGGER_EXISTS: {
    title: 'The tenant has a trigger of this name already.',
    retryable: false,
    did: 'The trigger that exists stays as it is.',
    todo: 'Choose another name, or update the one that exists: `PUT /v1/triggers/{trigger}`.',
  },
} as const
