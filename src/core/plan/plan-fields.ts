/** The fields of a plan outside its steps: metadata and policy, with their defaults. */
import { defaulted, objectOf, optional } from './fields.ts'
import { listOf } from './kind.ts'
import { concurrency, durationMs, id, json, jsonSchema, labels, oneOf, plainObject, text } from './kinds.ts'
import { retry } from './retry-fields.ts'
import { CURRENT_SCHEMA_VERSION, schemaVersion } from './schema-version.ts'

export const DEFAULT_TIMEOUT_MS = 300_000

const requires = listOf(text({ max: 128 }), { max: 64, unique: true })

export const metadata = objectOf(
  {
    planId: optional(id, 'The name of the plan; `plan` at the top is short for it.', 'order-fulfilment', 'required'),
    planVersion: optional(
      id,
      'The version of the plan, as text; `version` at the top is short for it. It cannot contain a bar.',
      '1.4.0',
      'required',
    ),
    name: optional(text({ max: 256 }), 'A title for people.', 'Order fulfilment'),
    description: optional(text(), 'What the plan is for.', 'Ships one order.'),
    labels: optional(labels, 'Names and texts of your own, to find plans by.', '{ team: logistics }'),
    requiresCapabilities: optional(
      requires,
      'What the engine must be able to do, in either spelling; `requires` at the top is short for it.',
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
      'The only engine this plan may run on.',
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
      'After a step has finally failed: end the run, go on with what does not depend on it, or wait for a person.',
      'hold',
    ),
    retry: optional(retry, 'The retry policy of steps that do not write one.', '{ maxAttempts: 5 }', 'see retry'),
    timeoutMs: defaulted(
      durationMs,
      DEFAULT_TIMEOUT_MS,
      'The time one attempt of a step may take, counted from its begin.',
      '60000',
    ),
    runTimeoutMs: optional(durationMs, 'The time the whole run may take.', '3600000'),
  },
  {
    what: 'policy',
    foreign: { maxConcurrentSteps: 'write concurrency', onError: 'write onFailure', timeout: 'write timeoutMs' },
  },
)

/** All fields of the document but its steps, which are read one by one once the policy is known. */
export const PLAN_HEAD = {
  plan: optional(id, 'Short for metadata.planId.', 'order-fulfilment'),
  version: optional(id, 'Short for metadata.planVersion; put numbers in quotes.', '1.4.0'),
  requires: optional(requires, 'Short for metadata.requiresCapabilities.', '[workflow.fan.dynamic]'),
  schemaVersion: defaulted(schemaVersion, CURRENT_SCHEMA_VERSION, 'The version of this format.', 'v1.0'),
  metadata: optional(
    metadata,
    'Who the plan is; `plan`, `version` and `requires` at the top are short for parts of it.',
    '{ planId: order-fulfilment, planVersion: 1.4.0 }',
  ),
  inputs: optional(
    jsonSchema,
    'JSON Schema 2020-12 of the input of a run, checked at admission; its defaults are applied.',
    '{ type: object, required: [orderId] }',
  ),
  context: defaulted(plainObject, {}, 'The first values of the variables of a run.', '{ attempts: 0 }'),
  policy: optional(policy, 'Limits of the run and defaults for its steps.', '{ concurrency: 5 }', 'see policy'),
  output: optional(json, 'The result of the run, mapped when it ends.', '{ id: "${steps.charge.output.id}" }'),
}
