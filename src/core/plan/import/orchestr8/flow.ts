/** Both shapes of an orchestr8 workflow as one: what is done, under which names, and where each part was written. */
import { appendAll } from '../../../collections/append-all.ts'
import type { Json, JsonSchema } from '../../plan.ts'
import type { AstStep, AstWorkflow, FlatStep, FlatWorkflow, ForeignRetry, Policies } from './shape.ts'

type Values = { readonly [name: string]: Json }

export interface FlowStep {
  readonly id: string
  readonly agentId: string
  readonly name?: string
  readonly description?: string
  readonly labels?: { readonly [name: string]: string }
  /** Absent: none is written, and a fallback then takes its step's. */
  readonly input?: Values
  readonly inputSchema?: JsonSchema
  readonly outputSchema?: JsonSchema
  readonly config?: Values
  readonly if?: string
  readonly unless?: string
  readonly onError: 'fail' | 'continue' | 'retry' | 'fallback'
  readonly fallbackStepId?: string
  readonly retry?: ForeignRetry
  readonly timeoutMs?: number
  /** Its numbers are the deployment's: they are kept beside the step. */
  readonly breaker?: Values
  readonly dependsOn: readonly string[]
  /** JSON pointers below the step: where a part of it was written. */
  readonly at: {
    readonly input: string
    readonly condition: string
    readonly dependsOn: string
    readonly agent: string
  }
}

export interface Flow {
  readonly id: string
  readonly version: string
  readonly name?: string
  readonly description?: string
  readonly labels?: { readonly [name: string]: string }
  readonly variables: Values
  /** Names with their values, where the workflow has them. */
  readonly env: ReadonlyMap<string, string | undefined>
  readonly runTimeoutMs?: number
  readonly timeoutMs?: number
  readonly concurrency?: number
  readonly kept: Values
  readonly steps: readonly FlowStep[]
  /** Where the variables were written. */
  readonly at: { readonly variables: readonly string[] }
}

/** Skipped by a condition, or after a step that was skipped or whose failure was handled. */
export function mayBeSkipped(steps: readonly FlowStep[], stepId: string): boolean {
  const seen = new Set<string>()
  const open = [stepId]
  for (let id = open.pop(); id !== undefined; id = open.pop()) {
    if (seen.has(id)) continue
    seen.add(id)
    const step = steps.find((one) => one.id === id)
    if (step === undefined) continue
    if (step.if !== undefined || step.unless !== undefined || step.onError === 'continue') return true
    appendAll(open, step.dependsOn)
  }
  return false
}

type Given<T> = { readonly [K in keyof T]?: T[K] | undefined }

/** Without the fields that are not there. */
function present<T extends object>(fields: Given<T>): Partial<T> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<T>
}

export function flatFlow(workflow: FlatWorkflow): Flow {
  const { id, version, name, description, variables = {}, allowedEnvVars = [], policies = {} } = workflow
  const { timeout, maxConcurrency, schemaHash, schemaVersion, metadata } = workflow
  // Its older fields come first: only they are read when a workflow runs there.
  const resilience = workflow.resilience ?? policies.resilience
  return {
    id,
    version,
    variables,
    env: new Map(allowedEnvVars.map((one) => [one, undefined])),
    kept: present<Values>({ schemaHash, schemaVersion, metadata }) as Values,
    ...limitsOf(policies),
    ...present<Flow>({
      name,
      description,
      runTimeoutMs: timeout,
      concurrency: maxConcurrency,
      timeoutMs: workflow.resilience?.timeout,
    }),
    steps: workflow.steps.map((step) => flatStep(step, resilience)),
    at: { variables: ['variables'] },
  }
}

function flatStep(step: FlatStep, common: FlatWorkflow['resilience']): FlowStep {
  const { id, agentId, name, description, input, config, unless, onError = 'fail', fallbackStepId, timeout } = step
  const resilience = step.resilience ?? common
  const byCount =
    step.maxRetries === undefined || onError !== 'retry' ? undefined : { maxAttempts: step.maxRetries + 1 }
  return {
    id,
    agentId,
    onError,
    dependsOn: step.dependsOn ?? [],
    at: { input: '/input', condition: '', dependsOn: '/dependsOn', agent: '/agentId' },
    ...present<FlowStep>({ name, description, input, config, if: step.if, unless, fallbackStepId }),
    ...present<FlowStep>({ timeoutMs: timeout ?? step.resilience?.timeout, retry: resilience?.retry ?? byCount }),
    ...present<FlowStep>({ breaker: resilience?.circuitBreaker }),
  }
}

function limitsOf({ timeout = {}, resilience, concurrency, maxConcurrency }: Policies): Partial<Flow> {
  return present<Flow>({
    runTimeoutMs: timeout.global,
    timeoutMs: timeout.perStep ?? timeout.defaultMs ?? resilience?.timeout,
    concurrency: concurrency?.maxConcurrentSteps ?? maxConcurrency,
  })
}

export function astFlow(workflow: AstWorkflow): Flow {
  const { metadata, context = {}, policies = {}, schemaVersion, schemaHash } = workflow
  const { tags, createdAt, updatedAt } = metadata
  return {
    id: metadata.id,
    version: workflow.version,
    variables: context.variables ?? {},
    env: new Map(Object.entries(context.environment ?? {})),
    kept: present<Values>({ schemaHash, schemaVersion, createdAt, updatedAt }) as Values,
    ...(tags === undefined || tags.length === 0 ? {} : { labels: { tags: tags.join(', ') } }),
    ...present<Flow>({ name: metadata.name, description: metadata.description }),
    ...limitsOf(policies),
    steps: workflow.steps.map((step) => astStep(step, policies.resilience)),
    at: { variables: ['context', 'variables'] },
  }
}

function astStep(step: AstStep, common: Policies['resilience']): FlowStep {
  const { id, name, description, agent, condition = {}, policies = {}, onError = 'fail', fallbackStepId } = step
  const { mapping, schema } = inputOf(step.input)
  return {
    id,
    agentId: agent.id,
    onError,
    dependsOn: step.dependencies ?? [],
    at: {
      input: step.input !== undefined && 'mapping' in step.input ? '/input/mapping' : '/input',
      condition: '/condition',
      dependsOn: '/dependencies',
      agent: '/agent/id',
    },
    ...(agent.version === undefined ? {} : { labels: { agentVersion: agent.version } }),
    ...present<FlowStep>({ name, description, input: mapping, inputSchema: schema, outputSchema: step.output?.schema }),
    ...present<FlowStep>({ config: agent.config, if: condition.if, unless: condition.unless, fallbackStepId }),
    ...present<FlowStep>({
      timeoutMs: policies.timeout ?? step.timeout,
      retry: policies.retry ?? step.retryPolicy ?? common?.retry,
      breaker: policies.circuitBreaker ?? common?.circuitBreaker,
    }),
  }
}

function inputOf(input: AstStep['input']): {
  readonly mapping?: Values | undefined
  readonly schema?: JsonSchema | undefined
} {
  if (input === undefined) return {}
  const { mapping, schema } = input as { readonly mapping?: Values; readonly schema?: JsonSchema }
  return mapping === undefined && schema === undefined ? { mapping: input as Values } : { mapping, schema }
}
