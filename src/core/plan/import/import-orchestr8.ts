/**
 * Makes a plan of an orchestr8 workflow, in its flat form or as an AST, so that it does what it did there: a graph of its
 * own dependencies, one attempt without a retry policy, skips that cascade, failures handled by the step that says so. What
 * a plan cannot say is refused at its place.
 */
import type { Problem } from '../../problems/problem.ts'
import { ok, refusedFor, type Result } from '../../result.ts'
import { sortProblems } from '../compile/parse-plan.ts'
import { isObject } from '../format/kind.ts'
import type { Json } from '../plan.ts'
import { readDocument, type ReadOptions } from '../read/read-document.ts'
import { child, refuse, type Place, type Reading } from '../read/reading.ts'
import type { Document, Imported } from './imported.ts'
import { readForeign } from './read-foreign.ts'
import { fallbackTargets, withoutFallbacks, type Fallbacks } from './orchestr8/fallbacks.ts'
import { astFlow, flatFlow, type Flow, type FlowStep } from './orchestr8/flow.ts'
import { namesOf } from './orchestr8/names.ts'
import { astWorkflow, flatWorkflow, type ForeignRetry } from './orchestr8/shape.ts'
import { conditionsOf, guarded, inputOf, type Converting } from './orchestr8/values.ts'
import { waitsOf } from './orchestr8/waits.ts'

/** An attempt of an agent, where neither its step nor the workflow says how long it may take. */
const AGENT_TIMEOUT_MS = 30_000

export function importOrchestr8(text: string, options: ReadOptions): Result<Imported, Problem> {
  const nothingMore = (): void => undefined
  if (isAst(readDocument(text, options).root?.value ?? null)) {
    const ast = readForeign(text, options, 'WORKFLOW_INVALID', astWorkflow, nothingMore)
    return ast.ok ? converted(astFlow(ast.value.value), ast.value.positionOf) : ast
  }
  const flat = readForeign(text, options, 'WORKFLOW_INVALID', flatWorkflow, nothingMore)
  return flat.ok ? converted(flatFlow(flat.value.value), flat.value.positionOf) : flat
}

function isAst(value: Json): boolean {
  return isObject(value) && isObject(value['metadata'] ?? null) && value['id'] === undefined
}

function converted(flow: Flow, positionOf: Reading['positionOf']): Result<Imported, Problem> {
  const problems: Problem[] = []
  const names = namesOf(
    flow.steps.map(({ id }) => id),
    flow.env.keys(),
  )
  const converting: Converting = { flow, names, problems, positionOf }
  refuseTakenName(converting)
  const fallbacks = fallbackTargets(converting)
  const kept = withoutFallbacks(flow, fallbacks)
  const steps = kept.map(({ step, place }) => stepOf(converting, step, place, fallbacks))
  if (problems.length > 0) return refusedFor(sortProblems(problems))
  const places = new Map([
    ['', ''],
    ['/inputs', `/${flow.at.variables.join('/')}`],
  ])
  kept.forEach(({ step, place }, at) => {
    const origin = `/steps/${place.key}`
    const here = `/steps/${at}`
    places
      .set(here, origin)
      .set(`${here}/with`, origin + step.at.input)
      .set(`${here}/run`, origin + step.at.agent)
    places.set(`${here}/dependsOn`, origin + step.at.dependsOn).set(`${here}/if`, `${origin}${step.at.condition}/if`)
    places.set(`${here}/unless`, `${origin}${step.at.condition}/unless`).set(`${here}/retry`, origin)
  })
  return ok({ document: documentOf(flow, steps), places, positionOf })
}

/** The environment becomes `input.env`, so a variable of that name would be lost. */
function refuseTakenName(converting: Converting): void {
  const { variables, env, at } = converting.flow
  if (variables['env'] === undefined || env.size === 0) return
  const [first = '', ...more] = at.variables
  const place = [...more, 'env'].reduce<Place>((above, key) => child(above, key), child(undefined, first))
  const message = `'env' would be a variable and the environment`
  refuse(converting, 'WORKFLOW_INVALID', place, message, { hint: 'give the variable another name' })
}

function documentOf(flow: Flow, steps: readonly Document[]): Document {
  const { id, version, name, description, labels, kept, runTimeoutMs, timeoutMs, concurrency } = flow
  const metadata = { ...given('name', name), ...given('description', description), ...given('labels', labels) }
  // There nothing new starts after a failure, unless no step asks for that.
  const stops = flow.steps.some(({ onError }) => onError === 'fail')
  return {
    plan: id,
    version,
    ...(Object.keys(metadata).length === 0 ? {} : { metadata }),
    ...inputsOf(flow),
    policy: {
      onFailure: stops ? 'failFast' : 'continue',
      onSkip: 'cascade',
      ...given('concurrency', concurrency),
      retry: { maxAttempts: 1 },
      timeoutMs: timeoutMs ?? AGENT_TIMEOUT_MS,
      ...given('runTimeoutMs', runTimeoutMs),
    },
    steps,
    ...(Object.keys(kept).length === 0 ? {} : { 'x-orchestr8': kept }),
  }
}

function given(field: string, value: Json | undefined): Document {
  return value === undefined ? {} : { [field]: value }
}

/** Variables are the input of a run, with those of the workflow as defaults; so is the environment that it allows. */
function inputsOf({ variables, env }: Flow): Document {
  const properties = Object.entries(variables).map(([name, value]) => [name, { default: value }] as const)
  const allowed = [...env].map(
    ([name, value]) => [name, { type: 'string', ...(value === undefined ? {} : { default: value }) }] as const,
  )
  const environment = { type: 'object', properties: Object.fromEntries(allowed) }
  const defaults = [...env].every(([, value]) => value === undefined) ? {} : { default: {} }
  if (properties.length === 0 && allowed.length === 0) return {}
  const withEnv = allowed.length === 0 ? [] : [['env', { ...environment, ...defaults }] as const]
  return { inputs: { type: 'object', properties: Object.fromEntries([...properties, ...withEnv]) } }
}

function stepOf(converting: Converting, step: FlowStep, place: Place, fallbacks: Fallbacks): Document {
  const instead = fallbacks.get(step.id)
  const read = new Set<string>()
  const reading = { ...converting, names: { ...converting.names, reads: (stepId: string) => void read.add(stepId) } }
  const { with: mapped, secrets } = inputOf(reading, step, step, place)
  const conditions = conditionsOf(reading, step, place)
  const waits = waitsOf(converting.flow, step, read)
  const needed = new Set([...step.dependsOn, ...waits, ...(instead?.waitsFor ?? [])])
  return {
    id: step.id,
    dependsOn: [...needed],
    ...given('name', step.name),
    ...(step.description === undefined || step.description === '' ? {} : { description: step.description }),
    ...given('labels', step.labels),
    run: step.agentId,
    ...(step.breaker === undefined ? {} : { agent: step.agentId, 'x-circuitBreaker': step.breaker }),
    ...(Object.keys(mapped).length === 0 ? {} : { with: mapped }),
    ...(Object.keys(secrets).length === 0 ? {} : { secrets }),
    ...(step.inputSchema === undefined ? {} : { inputSchema: step.inputSchema as Json }),
    ...(step.outputSchema === undefined ? {} : { outputSchema: step.outputSchema as Json }),
    ...guarded(converting.flow, step, conditions, waits),
    ...retryOf(step),
    ...given('timeoutMs', step.timeoutMs),
    ...(step.onError === 'continue' ? { onFailure: 'continue' } : {}),
    ...(instead === undefined ? {} : fallbackOf(converting, step, place, instead)),
    ...(step.config === undefined ? {} : { 'x-config': step.config }),
  }
}

/** A fallback has an input of its own, or takes that of its step; it comes after any failure. */
function fallbackOf(
  converting: Converting,
  step: FlowStep,
  place: Place,
  { target, at }: NonNullable<ReturnType<Fallbacks['get']>>,
): Document {
  const own = target.input !== undefined
  const { with: mapped } = own ? inputOf(converting, target, step, at) : inputOf(converting, step, step, place)
  const fallback = { run: target.agentId, ...(Object.keys(mapped).length === 0 ? {} : { with: mapped }) }
  return { fallback, fallbackOn: ['exhausted', 'permanent'] }
}

const CLASSES = {
  RetryableError: ['rate_limit', '5xx', 'unknown'],
  TimeoutError: ['timeout'],
  NetworkError: ['transport'],
} as const

/** Without a policy a step has one attempt; `onError: retry` has a policy of its own. */
function retryOf({ retry, onError }: FlowStep): Document {
  if (retry === undefined && onError !== 'retry') return {}
  const {
    maxAttempts = 3,
    backoffStrategy = 'exponential',
    backoffMultiplier = 2,
    retryableErrors,
  }: ForeignRetry = retry ?? {}
  const { initialDelay, initialDelayMs, baseDelayMs, maxDelay, maxDelayMs }: ForeignRetry = retry ?? {}
  return {
    retry: {
      maxAttempts,
      initialBackoffMs: initialDelay ?? initialDelayMs ?? baseDelayMs ?? 1000,
      backoffMultiplier: backoffStrategy === 'fixed' ? 1 : backoffMultiplier,
      maxBackoffMs: maxDelay ?? maxDelayMs ?? 10_000,
      ...(retryableErrors === undefined
        ? {}
        : { retryableErrors: [...new Set(retryableErrors.flatMap((one) => CLASSES[one]))] }),
    },
  }
}
