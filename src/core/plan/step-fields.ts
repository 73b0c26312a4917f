/** The fields of a step, of its compensation and of its fallback. */
import { LIMITS } from '../limits.ts'
import { command, dbt, http, manual, plan, run, wait } from './action-fields.ts'
import { defaulted, objectOf, optional, required } from './fields.ts'
import { listOf, recordOf, withRule, type Kind } from './kind.ts'
import {
  contextPath,
  durationMs,
  expression,
  id,
  integer,
  jsonSchema,
  labels,
  mapping,
  names,
  oneOf,
  secretReference,
  text,
} from './kinds.ts'
import { refuse } from './reading.ts'
import { retry } from './retry-fields.ts'
import { DEFAULT_TIMEOUT_MS } from './plan-fields.ts'

const stepId: Kind<string> = withRule(id, (value, place, reading) => {
  if (value !== 'RUN') return true
  refuse(reading, reading.codes.invalid, place, `'RUN' is reserved and cannot be the id of a step`)
  return false
})

export const ACTION_FIELDS = {
  run: optional(run, 'Calls a registered function with the input.', 'stock.reserve'),
  http: optional(http, 'Sends an HTTP request.', '{ url: https://pay.example/charges }'),
  command: optional(command, 'Starts a program.', '{ argv: [make, report] }'),
  wait: optional(wait, 'Waits for a time or an instant.', '{ forMs: 60000 }'),
  manual: optional(manual, 'Waits for a person.', '{ title: Release the order }'),
  plan: optional(plan, 'Runs another plan as a child; its input is `with`.', '{ planId: ship-parcel }'),
  dbt: optional(dbt, 'Runs dbt.', '{ project: ./warehouse }'),
}

export const UNDOING_FIELDS = {
  run: ACTION_FIELDS.run,
  http: ACTION_FIELDS.http,
  command: ACTION_FIELDS.command,
  dbt: ACTION_FIELDS.dbt,
}

const withField = defaulted(mapping, {}, 'The input: a mapping whose texts may hold `${…}`.', '{ sku: "${item.sku}" }')

export const compensate = objectOf(
  {
    ...UNDOING_FIELDS,
    with: withField,
    retry: optional(retry, 'How often undoing is tried.', '{ maxAttempts: 5 }', 'twice, waits from 1 s to 10 s'),
    timeoutMs: defaulted(durationMs, DEFAULT_TIMEOUT_MS, 'The time one try of undoing may take.', '60000'),
  },
  { what: 'compensate' },
)

export const fallback = objectOf({ ...UNDOING_FIELDS, with: withField }, { what: 'fallback' })

const capture = objectOf(
  {
    destination: required(contextPath, 'Where in `context` the value goes; missing parts are created.', 'order.total'),
    transform: optional(
      expression('transform'),
      'JMESPath over the output of the step.',
      'sum(lines[].price)',
      'the whole output',
    ),
    merge: defaulted(
      oneOf('replace', 'merge', 'append'),
      'replace',
      'Overwrite, merge the fields of an object, or append to a list.',
      'append',
    ),
  },
  { what: 'capture' },
)

const isolate = objectOf(
  {
    readOnly: optional(
      listOf(contextPath, { max: 1000 }),
      'Paths of `context` that this step cannot write.',
      '[order]',
    ),
    private: optional(listOf(id, { max: 1000 }), 'Variables that stay inside this step.', '[scratch]'),
  },
  { what: 'isolate' },
)

const dispatch = objectOf(
  { taskQueue: optional(text({ max: 256 }), 'The queue of the engine this step goes to.', 'tq-data-prod') },
  { what: 'dispatch' },
)

const plannedEffect = objectOf(
  {
    effectId: required(id, 'Its id.', 'invoice'),
    operation: required(oneOf('Create', 'Update', 'Delete', 'Upsert'), 'What happens to the target.', 'Create'),
    target: required(text({ max: 1024 }), 'What is changed.', 'billing/invoice'),
    summary: required(text(), 'In words.', 'Creates one invoice.'),
    idempotencyKey: optional(text({ max: 512 }), 'The key the target knows it by.', 'inv-1'),
  },
  { what: 'plannedEffect' },
)

const STEP_FIELDS = {
  id: optional(stepId, 'Short for stepId.', 'reserve'),
  stepId: optional(stepId, 'The name of the step, unique in its plan. `id` is short for it.', 'reserve', 'required'),
  order: optional(integer(1, LIMITS.planSteps), 'Its rank; all steps have one or none has.', '1', 'its position'),
  dependsOn: optional(
    listOf(id, { max: LIMITS.planSteps, unique: true }),
    'The steps that must succeed before. Written on any step, even empty, it makes the plan a graph.',
    '[reserve]',
    'a plan without any runs one step after another',
  ),
  ...ACTION_FIELDS,
  with: withField,
  inputSchema: optional(
    jsonSchema,
    'JSON Schema of the input; a mismatch fails the step before it runs.',
    '{ type: object }',
  ),
  outputSchema: optional(jsonSchema, 'JSON Schema of the output; a mismatch fails the step.', '{ type: object }'),
  if: optional(expression('expression'), 'The step is skipped when this is false.', 'input.email'),
  unless: optional(expression('expression'), 'The step is skipped when this is true.', 'steps.check.output.done'),
  forEach: optional(
    expression('expression'),
    'A list; the step runs once for each of its items, known as `item` and `index`.',
    'input.items',
  ),
  capture: optional(
    listOf(capture, { max: 1000 }),
    'Writes parts of the output into `context`.',
    '[{ destination: total }]',
  ),
  isolate: optional(isolate, 'What of `context` the step may not touch, or keeps to itself.', '{ readOnly: [order] }'),
  retry: optional(retry, 'When a failed attempt is tried again.', '{ maxAttempts: 5 }', 'policy.retry'),
  timeoutMs: optional(
    durationMs,
    'The time one attempt may take, counted from its begin.',
    '60000',
    'policy.timeoutMs',
  ),
  agent: optional(id, 'Whose limit and circuit breaker apply.', 'payments'),
  resources: optional(
    recordOf(integer(1, 1_000_000_000), names),
    'Whole amounts of shared resources held while it runs; the deployment states how much there is.',
    '{ gpu: 1 }',
  ),
  priority: defaulted(integer(-1_000_000, 1_000_000), 0, 'Across runs, the lower number goes first.', '-10'),
  secrets: optional(
    recordOf(secretReference, names),
    'Secrets handed to the step by name.',
    '{ authorization: secret://payments/token }',
  ),
  effect: optional(
    oneOf('none', 'idempotent', 'compensatable', 'irreversible'),
    'What happens outside: nothing, the same when repeated, something that can be undone, something that cannot.',
    'irreversible',
    'idempotent; with `compensate`: compensatable',
  ),
  compensate: optional(compensate, 'What undoes the step if the run fails later.', '{ run: stock.release }'),
  fallback: optional(fallback, 'What is done instead when the step has failed.', '{ run: stock.backorder }'),
  fallbackOn: defaulted(
    listOf(oneOf('exhausted', 'permanent'), { min: 1, unique: true }),
    ['exhausted'] as const,
    'After which failures the fallback runs: tries used up, errors that are never retried.',
    '[exhausted, permanent]',
  ),
  isolation: optional(
    oneOf('inline', 'thread', 'process'),
    'Where it runs, and so how it can be stopped.',
    'thread',
    'inline; `command` and `dbt`: process',
  ),
  handlerVersion: optional(text({ max: 256 }), 'The build of the function this step needs.', 'build-42'),
  dispatch: optional(dispatch, 'Where the engine sends it.', '{ taskQueue: tq-data-prod }'),
  name: optional(text({ max: 256 }), 'A title for people.', 'Reserve stock'),
  description: optional(text(), 'What the step is for.', 'Holds the goods for a day.'),
  labels: optional(labels, 'Names and texts of your own.', '{ team: stock }'),
  plannedEffects: optional(
    listOf(plannedEffect, { max: 1000 }),
    'What it will change, told before it runs.',
    '[{ effectId: invoice, operation: Create, target: billing, summary: Creates one invoice. }]',
  ),
}

/** What other systems call these, with what to write here (ERR-08). */
const FOREIGN = {
  actionId: 'write stepId',
  compensationOperation: 'write compensate: { run: … }',
  compensationInput: 'write compensate: { run: …, with: … }',
  onError: 'write policy.onFailure for the plan, or fallback for this step',
  fallbackStepId: 'write fallback: { run: …, with: … }',
  source: 'write with: { name: "${…}" }',
  transform: 'write with: { name: "${…}" }, or capture: [{ destination, transform }]',
  validation: 'write inputSchema or outputSchema',
  depends_on: 'write dependsOn',
  needs: 'write dependsOn',
  input: 'write with',
  inputs: 'write with',
  timeout: 'write timeoutMs',
  uses: 'write run',
  condition: 'write if or unless',
}

export const step = objectOf(STEP_FIELDS, { what: 'a step', foreign: FOREIGN })
