/**
 * The two shapes of an orchestr8 workflow, the flat one and the AST, each a table of the fields that a plan can express.
 * Every other field is refused where it stands, with what to write in a plan instead.
 */
import { LIMITS } from '../../../limits.ts'
import { objectOf, optional, required, type ObjectOf } from '../../format/fields.ts'
import { isObject, kindOf, listOf, recordOf, type Kind } from '../../format/kind.ts'
import { anyText, decimal, id, integer, jsonSchema, oneOf, text } from '../../format/kinds.ts'
import type { Json } from '../../plan.ts'
import { PLAN_LIMITS } from '../../plan-limits.ts'

type Values = { readonly [name: string]: Json }

const values: Kind<Values> = kindOf('an object', { type: 'object' }, isObject)
const ids = listOf(id, { max: LIMITS.planSteps })
const attempts = integer(1, PLAN_LIMITS.retryAttemptsMax)
/** Not a duration of ours: no field here has a twin that takes text. */
const limitMs = integer(1, PLAN_LIMITS.durationMsMax)
const ms = integer(0, PLAN_LIMITS.durationMsMax)
/** Steps in flight always get their signal. */
const always = kindOf('true', { const: true }, (value): value is true => value === true)
const onError = oneOf('fail', 'continue', 'retry', 'fallback')
const name = text({ max: 256 })

const about = 'As there.'
const some = <T>(kind: Kind<T>) => optional(kind, about, '{}')

const TO_DEPLOYMENT = 'leave it out: breakers and limits of agents belong to the deployment (agents in keelson.config)'

const retry = objectOf(
  {
    maxAttempts: some(attempts),
    backoffStrategy: some(oneOf('fixed', 'exponential')),
    jitterStrategy: some(oneOf('none', 'full-jitter')),
    initialDelay: some(ms),
    maxDelay: some(ms),
    baseDelayMs: some(ms),
    initialDelayMs: some(ms),
    maxDelayMs: some(ms),
    backoffMultiplier: some(decimal(1, 100)),
    retryableErrors: some(listOf(oneOf('RetryableError', 'TimeoutError', 'NetworkError'), { min: 1 })),
  },
  { what: 'retry' },
)
export type ForeignRetry = ObjectOf<(typeof retry)['fields']>

/** Whether there is one is told to the plan; its numbers are the deployment's. */
const resilience = objectOf(
  {
    retry: some(retry),
    circuitBreaker: some(values),
    timeout: some(limitMs),
    // A time limit is for each attempt, within its retry.
    compositionOrder: some(oneOf('retry-cb-timeout')),
  },
  { what: 'resilience' },
)

const flatStep = objectOf(
  {
    id: required(id, about, 'greet'),
    type: some(oneOf('agent')),
    agentId: required(text({ max: 256 }), about, 'greeter'),
    name: some(name),
    description: some(anyText),
    input: some(values),
    config: some(values),
    if: some(anyText),
    unless: some(anyText),
    onError: some(onError),
    fallbackStepId: some(id),
    maxRetries: some(integer(0, PLAN_LIMITS.retryAttemptsMax - 1)),
    timeout: some(limitMs),
    dependsOn: some(ids),
    resilience: some(resilience),
  },
  {
    what: 'a step',
    foreign: { steps: 'write its steps beside it, with dependsOn', maxConcurrency: 'write it at the top' },
  },
)

const policies = objectOf(
  {
    timeout: some(
      objectOf({ global: some(limitMs), perStep: some(limitMs), defaultMs: some(limitMs) }, { what: 'timeout' }),
    ),
    resilience: some(resilience),
    concurrency: some(
      objectOf(
        { maxConcurrentSteps: some(integer(1, LIMITS.concurrencyMax)), abortOnSignal: some(always) },
        { what: 'concurrency', foreign: { cleanupTimeoutMs: 'leave it out: the grace is fixed' } },
      ),
    ),
    maxConcurrency: some(integer(1, LIMITS.concurrencyMax)),
    cancellation: some(
      objectOf(
        { propagate: some(always), abortSignal: some(always) },
        { what: 'cancellation', foreign: { gracePeriod: 'leave it out: the grace is fixed' } },
      ),
    ),
  },
  {
    what: 'policies',
    foreign: {
      resilienceBudget: 'write policies.timeout.global',
      circuitBreaker: TO_DEPLOYMENT,
    },
  },
)

export const flatWorkflow = objectOf(
  {
    id: required(id, about, 'hello'),
    version: required(id, about, '1.0.0'),
    name: some(name),
    description: some(anyText),
    schemaHash: some(anyText),
    schemaVersion: some(anyText),
    metadata: some(values),
    variables: some(values),
    allowedEnvVars: some(listOf(id, { max: 1000 })),
    timeout: some(limitMs),
    maxConcurrency: some(integer(1, LIMITS.concurrencyMax)),
    resilience: some(resilience),
    policies: some(policies),
    steps: required(listOf(flatStep, { min: 1, max: LIMITS.planSteps }), about, '[]'),
  },
  { what: 'a workflow' },
)
export type FlatWorkflow = ObjectOf<(typeof flatWorkflow)['fields']>
export type FlatStep = ObjectOf<(typeof flatStep)['fields']>

const input = objectOf(
  { mapping: some(values), schema: some(jsonSchema) },
  {
    what: 'input',
    foreign: {
      transform: 'write the fields themselves under mapping',
      expressionSecurity: 'leave it out: expressions have fixed limits',
    },
  },
)
const astInput: Kind<Values | ObjectOf<(typeof input)['fields']>> = {
  ...input,
  read: (value, place, reading) => (isMapping(value) ? value : input.read(value, place, reading)),
}

const INPUT_FIELDS: readonly string[] = ['mapping', 'schema', 'transform', 'expressionSecurity']

/** In its first version the AST had the fields themselves here. */
function isMapping(value: Json): value is Values {
  return isObject(value) && !Object.keys(value).some((field) => INPUT_FIELDS.includes(field))
}

const agent = objectOf(
  { id: required(text({ max: 256 }), about, '@acme/greeter'), version: some(anyText), config: some(values) },
  { what: 'agent' },
)
const condition = objectOf({ if: some(anyText), unless: some(anyText) }, { what: 'condition' })
const stepPolicies = objectOf(
  { timeout: some(limitMs), retry: some(retry), circuitBreaker: some(values) },
  { what: 'policies', foreign: { idempotencyKey: 'leave it out: a step gets its key in ctx.idempotencyKey' } },
)

const astStep = objectOf(
  {
    id: required(id, about, 'greet'),
    type: some(oneOf('agent')),
    name: some(name),
    description: some(anyText),
    agent: required(agent, about, '{ id: greeter }'),
    input: some(astInput),
    output: some(
      objectOf({ schema: some(jsonSchema) }, { what: 'output', foreign: { capture: 'write capture in the plan' } }),
    ),
    dependencies: some(ids),
    condition: some(condition),
    policies: some(stepPolicies),
    timeout: some(limitMs),
    retryPolicy: some(retry),
    onError: some(onError),
    fallbackStepId: some(id),
  },
  { what: 'a step' },
)

const context = objectOf(
  { variables: some(values), environment: some(recordOf(anyText)) },
  {
    what: 'context',
    foreign: { secretRefs: 'write secrets: { name: secret://… } at the steps of the plan that need them' },
  },
)

export const astWorkflow = objectOf(
  {
    version: required(id, about, '1.0.0'),
    schemaVersion: some(anyText),
    schemaHash: some(anyText),
    metadata: required(
      objectOf(
        {
          id: required(id, about, 'hello'),
          name: some(name),
          description: some(anyText),
          version: some(anyText),
          tags: some(listOf(anyText)),
          createdAt: some(anyText),
          updatedAt: some(anyText),
        },
        { what: 'metadata' },
      ),
      about,
      '{ id: hello }',
    ),
    context: some(context),
    policies: some(policies),
    steps: required(listOf(astStep, { min: 1, max: LIMITS.planSteps }), about, '[]'),
  },
  { what: 'a workflow' },
)
export type AstWorkflow = ObjectOf<(typeof astWorkflow)['fields']>
export type Policies = ObjectOf<(typeof policies)['fields']>
export type AstStep = ObjectOf<(typeof astStep)['fields']>
