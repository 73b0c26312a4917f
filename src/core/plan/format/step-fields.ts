/** The fields of a step, of its compensation and of its fallback. */
import { LIMITS } from '../../limits.ts'
import { forEach } from './for-each-fields.ts'
import { command, dbt, http, manual, plan, run, wait } from './action-fields.ts'
import { defaulted, objectOf, optional, required } from './fields.ts'
import { listOf, recordOf, withRule, type Kind } from './kind.ts'
import {
  agentId,
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
  onSkip,
  secretReference,
  text,
} from './kinds.ts'
import { PLAN_LIMITS } from '../plan-limits.ts'
import { refuse } from '../read/reading.ts'
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
  wait: optional(wait, 'Waits for a time, an instant or an event.', '{ forMs: 60000 }'),
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

const withField = defaulted(
  mapping,
  {},
  'The input: a mapping whose texts may contain `${…}`.',
  '{ sku: "${item.sku}" }',
)

export const compensate = objectOf(
  {
    ...UNDOING_FIELDS,
    with: optional(
      mapping,
      'The input of the compensation: a mapping whose texts may contain `${…}`, also `${step.input}` and `${step.output}`.',
      '{ id: "${step.output.id}" }',
      '`{ input, output }` of the step',
    ),
    inputSchema: optional(
      jsonSchema,
      'JSON Schema of the input of the compensation; a mismatch fails it before it runs.',
      '{ type: object, required: [invoiceId] }',
    ),
    retry: optional(
      retry,
      'How often the compensation is tried.',
      '{ maxAttempts: 5 }',
      'twice, waits from 1 s to 10 s',
    ),
    timeoutMs: defaulted(
      durationMs,
      DEFAULT_TIMEOUT_MS,
      'The time that one attempt of the compensation may take.',
      '60000',
    ),
  },
  { what: 'compensate' },
)

export const fallback = objectOf({ ...UNDOING_FIELDS, with: withField }, { what: 'fallback' })

const capture = objectOf(
  {
    destination: required(
      contextPath,
      'The place in `context` for the value; missing parts are created.',
      'order.total',
    ),
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

/** A name that an address, a shell and a label can hold. */
const WORK_QUEUE = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/

const dispatch = objectOf(
  {
    taskQueue: optional(text({ max: 256 }), 'The queue of the engine for this step.', 'tq-data-prod'),
    queue: optional(
      text({ max: 128, pattern: WORK_QUEUE }),
      'The queue of remote workers that call the function of this step, of its fallback and of its compensation.',
      'gpu',
    ),
  },
  { what: 'dispatch' },
)

const plannedEffect = objectOf(
  {
    effectId: required(id, 'Its id.', 'invoice'),
    operation: required(oneOf('Create', 'Update', 'Delete', 'Upsert'), 'What happens to the target.', 'Create'),
    target: required(text({ max: 1024 }), 'What is changed.', 'billing/invoice'),
    summary: required(text(), 'A description in words.', 'Creates one invoice.'),
    idempotencyKey: optional(text({ max: 512 }), 'The key under which the target knows the effect.', 'inv-1'),
  },
  { what: 'plannedEffect' },
)

const STEP_FIELDS = {
  id: optional(stepId, 'Short for stepId.', 'reserve'),
  stepId: optional(stepId, 'The name of the step, unique in its plan. The short name is `id`.', 'reserve', 'required'),
  order: optional(
    integer(1, LIMITS.planSteps),
    'The position of the step; either all steps have one or none.',
    '1',
    'its position',
  ),
  dependsOn: optional(
    listOf(id, { max: LIMITS.planSteps, unique: true }),
    'The steps that must succeed before. If any step has it, even an empty one, the plan is a graph.',
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
  if: optional(expression('expression'), 'The step is skipped if this is false.', 'input.email'),
  unless: optional(expression('expression'), 'The step is skipped if this is true.', 'steps.check.output.done'),
  onSkip: optional(
    onSkip,
    'Whether this step runs after a predecessor that was skipped by its condition, or is skipped too.',
    'cascade',
    'policy.onSkip',
  ),
  onFailure: optional(
    oneOf('continue'),
    'The final failure of this step counts as handled: its output is null, its dependents run, and the run may complete.',
    'continue',
    'policy.onFailure',
  ),
  forEach: optional(
    forEach,
    'A list; the step, or its block of steps, runs once for each item, with `item` and `index`.',
    'input.items',
  ),
  capture: optional(
    listOf(capture, { max: 1000 }),
    'Writes parts of the output into `context`.',
    '[{ destination: total }]',
  ),
  isolate: optional(
    isolate,
    'Parts of `context` that the step may not write, or that stay inside the step.',
    '{ readOnly: [order] }',
  ),
  retry: optional(retry, 'When a failed attempt is retried.', '{ maxAttempts: 5 }', 'policy.retry'),
  timeoutMs: optional(
    durationMs,
    'The time that one attempt may take, counted from its start.',
    '60000',
    'policy.timeoutMs',
  ),
  agent: optional(agentId, 'The agent whose limit and circuit breaker apply.', 'payments'),
  resources: optional(
    recordOf(integer(1, 1_000_000_000), { ...names, max: PLAN_LIMITS.stepResources }),
    'Whole amounts of shared resources that the step holds while it runs; the deployment declares the capacity.',
    '{ gpu: 1 }',
  ),
  priority: defaulted(
    integer(-1_000_000, 1_000_000),
    0,
    'The order among waiting steps of all runs; the lower number goes first.',
    '-10',
  ),
  secrets: optional(
    recordOf(secretReference, names),
    'Secrets that the step gets by name.',
    '{ authorization: secret://payments/token }',
  ),
  effect: optional(
    oneOf('none', 'idempotent', 'compensatable', 'irreversible'),
    'The effect outside: none, safe to repeat, can be undone, or cannot be undone.',
    'irreversible',
    'idempotent; with `compensate`: compensatable',
  ),
  compensate: optional(compensate, 'What undoes the step if the run fails later.', '{ run: stock.release }'),
  fallback: optional(fallback, 'The action that runs instead when the step has failed.', '{ run: stock.backorder }'),
  fallbackOn: defaulted(
    listOf(oneOf('exhausted', 'permanent'), { min: 1, unique: true }),
    ['exhausted'] as const,
    'The failures after which the fallback runs: no attempts left, or errors that are never retried.',
    '[exhausted, permanent]',
  ),
  isolation: optional(
    oneOf('inline', 'thread', 'process'),
    'Where the step runs; this decides how it can be stopped.',
    'thread',
    'inline; `command` and `dbt`: process',
  ),
  handlerVersion: optional(text({ max: 256 }), 'The build of the function that this step needs.', 'build-42'),
  dispatch: optional(dispatch, 'Where the engine sends the step.', '{ taskQueue: tq-data-prod }'),
  name: optional(text({ max: 256 }), 'A title for people.', 'Reserve stock'),
  description: optional(text(), 'What the step is for.', 'Holds the goods for a day.'),
  labels: optional(labels, 'Your own names and texts.', '{ team: stock }'),
  plannedEffects: optional(
    listOf(plannedEffect, { max: 1000 }),
    'The changes that the step will make, declared before it runs.',
    '[{ effectId: invoice, operation: Create, target: billing, summary: Creates one invoice. }]',
  ),
}

/** Names in other systems, with what to write here (ERR-08). */
const FOREIGN = {
  actionId: 'write stepId',
  compensationOperation: 'write compensate: { run: … }',
  compensationInput: 'write compensate: { run: …, with: … }',
  onError: 'write onFailure: continue or fallback for this step, or policy.onFailure for the plan',
  fallbackStepId: 'write fallback: { run: …, with: … }',
  source: 'write with: { name: "${…}" }',
  transform: 'write with: { name: "${…}" }, or capture: [{ destination, transform }]',
  validation: 'write inputSchema or outputSchema',
  depends_on: 'write dependsOn',
  needs: 'write dependsOn',
  input: 'write with',
  inputs: 'write with',
  uses: 'write run',
  condition: 'write if or unless',
}

export const step = objectOf(STEP_FIELDS, { what: 'a step', foreign: FOREIGN })
