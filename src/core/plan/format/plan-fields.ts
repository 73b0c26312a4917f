/** The fields of a plan outside its steps: metadata and policy, with their defaults. */
import { DURATION_EXAMPLES, DURATION_PATTERN } from '../../duration.ts'
import { LIMITS } from '../../limits.ts'
import { OVERLAPS } from '../../schedule/definition.ts'
import { CATCH_UPS } from '../../schedule/owed.ts'
import { defaulted, objectOf, optional } from './fields.ts'
import { listOf } from './kind.ts'
import {
  concurrency,
  durationMs,
  id,
  integer,
  json,
  jsonSchema,
  labels,
  oneOf,
  onSkip,
  plainObject,
  runLabels,
  template,
  text,
} from './kinds.ts'
import { retry } from './retry-fields.ts'
import { schemaVersion, UNSAID_SCHEMA_VERSION } from './schema-version.ts'

export const DEFAULT_TIMEOUT_MS = 300_000

const requires = listOf(text({ max: 128 }), { max: 64, unique: true })

export const metadata = objectOf(
  {
    planId: optional(id, 'The name of the plan; the short name is `plan` at the top.', 'order-fulfilment', 'required'),
    planVersion: optional(
      id,
      'The version of the plan, as text; the short name is `version` at the top. It cannot contain a bar.',
      '1.4.0',
      'required',
    ),
    name: optional(text({ max: 256 }), 'A title for people.', 'Order fulfilment'),
    description: optional(text(), 'What the plan is for.', 'Ships one order.'),
    labels: optional(labels, 'Your own names and texts, to find plans.', '{ team: logistics }'),
    requiresCapabilities: optional(
      requires,
      'Capabilities that the engine must have, in either spelling; the short name is `requires` at the top.',
      '[signal.pause.native]',
    ),
    fallbackBehavior: defaulted(
      oneOf('reject', 'emulate', 'degrade'),
      'reject',
      'What to do when the engine lacks a required capability.',
      'emulate',
    ),
    targetAdapter: defaulted(
      oneOf('any', 'embedded', 'temporal', 'conductor', 'mock'),
      'any',
      'The only engine that may run this plan.',
      'temporal',
    ),
  },
  {
    what: 'metadata',
    foreign: { id: 'write planId', version: 'write planVersion', requires: 'write requiresCapabilities' },
  },
)

export const policy = objectOf(
  {
    concurrency: defaulted(concurrency, 10, 'How many steps of one run may be in flight at once.', '25'),
    onFailure: defaulted(
      oneOf('failFast', 'continue', 'hold'),
      'failFast',
      'After a step has failed permanently: end the run, continue the steps that do not depend on it, or wait for a person.',
      'hold',
    ),
    onSkip: optional(
      onSkip,
      'For steps without their own: whether a step runs after one that was skipped by its condition, or is skipped too.',
      'cascade',
      'satisfy',
    ),
    retry: optional(retry, 'The retry policy of steps without their own.', '{ maxAttempts: 5 }', 'see retry'),
    timeoutMs: defaulted(
      durationMs,
      DEFAULT_TIMEOUT_MS,
      'The time that one attempt of a step may take, counted from its start.',
      '60000',
    ),
    runTimeoutMs: optional(durationMs, 'The time that the whole run may take.', '3600000'),
    drainTimeoutMs: optional(
      durationMs,
      'How long steps in flight may take to end after a pause. Then the alert PAUSE_DRAIN_TIMEOUT is raised; the run stays paused.',
      '600000',
      '300000',
    ),
  },
  {
    what: 'policy',
    foreign: { maxConcurrentSteps: 'write concurrency', onError: 'write onFailure' },
  },
)

const forItem = objectOf(
  {
    steps: defaulted(
      listOf(id, { max: LIMITS.planSteps, unique: true }),
      [] as readonly string[],
      'The steps of the other plan whose outputs are handed in.',
      '[reserve]',
    ),
  },
  { what: 'forItem' },
)

const time = text({ max: 20, pattern: new RegExp(DURATION_PATTERN), what: `a time such as ${DURATION_EXAMPLES}` })

/** When a server starts the plan; what it says of times is checked when it is published. */
const schedule = objectOf(
  {
    cron: optional(
      text({ max: 200 }),
      'Minute, hour, day of month, month and day of week, or a word such as @daily.',
      '30 2 * * *',
    ),
    every: optional(time, 'Instead of `cron`: after each such time.', '15m'),
    zone: optional(text({ max: 64 }), 'The time zone of `cron`.', 'Europe/Berlin', 'UTC'),
    input: optional(
      json,
      'The input of each run; `${input.at}` in it is the instant of the occurrence.',
      '{ day: "${input.at}" }',
    ),
    overlap: optional(oneOf(...OVERLAPS), 'What happens while the run before goes on.', 'queue', 'skip'),
    catchUp: optional(oneOf(...CATCH_UPS), 'Which missed occurrences are made up for.', 'all', 'latest'),
    catchUpMax: optional(
      integer(1, LIMITS.scheduleCatchUp),
      'Of `all`: no more than so many, the newest.',
      '10',
      '100',
    ),
    jitter: optional(time, 'Each occurrence is later by a time of its own, up to this one.', '5m'),
  },
  { what: 'schedule' },
)

/** All fields of the document except its steps, which are read one by one when the policy is known. */
export const PLAN_HEAD = {
  plan: optional(id, 'Short for metadata.planId.', 'order-fulfilment'),
  version: optional(id, 'Short for metadata.planVersion; put numbers in quotes.', '1.4.0'),
  requires: optional(requires, 'Short for metadata.requiresCapabilities.', '[workflow.fan.dynamic]'),
  schemaVersion: defaulted(schemaVersion, UNSAID_SCHEMA_VERSION, 'The version of this format.', 'v1.0'),
  metadata: optional(
    metadata,
    'The identity of the plan; `plan`, `version` and `requires` at the top are short names of its fields.',
    '{ planId: order-fulfilment, planVersion: 1.4.0 }',
  ),
  forItem: optional(
    forItem,
    'Made by the compiler for the steps under a `forEach`: the plan runs for one item of another plan.',
    '{ steps: [reserve] }',
  ),
  inputs: optional(
    jsonSchema,
    'JSON Schema 2020-12 of the input of a run, checked at admission; its defaults are applied.',
    '{ type: object, required: [orderId] }',
  ),
  labels: optional(
    runLabels,
    'Names and texts by which a run is found (`keelson runs --label customer=C-17`), with `${…}` over the input. A label without a value is left out.',
    '{ customer: "${input.customerId}" }',
  ),
  concurrencyKey: optional(
    template(text({ max: LIMITS.expressionChars })),
    'A text with `${…}` over the input: runs with the same value are counted together against the limit `key:<plan>` of a server.',
    '"${input.customerId}"',
  ),
  schedule: optional(
    schedule,
    'When a server starts the plan; publishing it makes or changes the schedule of its name, and a version without it removes that.',
    '{ cron: "30 2 * * *", zone: Europe/Berlin }',
    'see schedule',
  ),
  context: defaulted(plainObject, {}, 'The first values of the variables of a run.', '{ attempts: 0 }'),
  policy: optional(policy, 'Limits of the run and defaults for its steps.', '{ concurrency: 5 }', 'see policy'),
  output: optional(json, 'The result of the run, computed when it ends.', '{ id: "${steps.charge.output.id}" }'),
}
