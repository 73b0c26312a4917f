/**
 * Plans written in TypeScript, typed from the run's input through the outputs of steps to the run's result. What comes
 * out is the same document an author would write in YAML, and compiles to the same bytes.
 *
 *     const head = { plan: 'order', version: '1.0.0', input: ofType<{ orderId: string }>(), steps: functions }
 *     const order = definePlan(head, ({ input, step }) => {
 *       const reserve = step('reserve', { run: 'stock.reserve', with: { order: input.orderId } })
 *       return { steps: [reserve], output: { reservation: reserve.output.id } }
 *     })
 */
import type { FailurePolicy, Json, JsonSchema, PlanMetadata, PlanSchedule } from '../plan.ts'
import type { Duration } from '../../duration.ts'
import { expression, pathOf, type Ref, type Resolved } from '../format/reference.ts'
import type {
  CallOptions,
  FunctionName,
  OtherOptions,
  Own,
  RetryOptions,
  StepDocument,
  StepOptions,
  StepOutput,
  Unwrapped,
} from './step-options.ts'

export { expression, text, type Ref } from '../format/reference.ts'
export type { FunctionName, Own, StepDocument, StepFields, StepOptions } from './step-options.ts'

declare const TYPES: unique symbol

/** A type where a value is asked for. */
export interface Type<T> {
  readonly [TYPES]: T
}

/** `input: ofType<Order>()`: what a run is given; `steps: ofType<typeof functions>()` where the functions are not at hand. */
export function ofType<T>(): Type<T> {
  return {} as Type<T>
}

/** Carries the types of a run's input and result through the compiler; it does not exist at run time. */
export interface TypedPlan<I = unknown, O = unknown> {
  readonly [TYPES]?: { readonly input: I; readonly output: O }
}

/** The author's document, with the types of the run it describes. */
export type PlanDocument<I = unknown, O = unknown> = { readonly [field: string]: Json } & TypedPlan<I, O>
export type PlanInput<D> = D extends TypedPlan<infer I> ? I : never
export type PlanOutput<D> = D extends TypedPlan<unknown, infer O> ? O : never

function step(id: string, options: object): StepDocument<unknown> {
  const compensate: unknown = 'compensate' in options ? options.compensate : undefined
  const fields = typeof compensate === 'function' ? { ...options, compensate: (compensate as Undoing)(OWN) } : options
  return { id, fields, output: expression(`steps.${quoted(id)}.output`) }
}

type Undoing = (own: Own<unknown, unknown>) => unknown

const OWN: Own<unknown, unknown> = { input: expression('step.input'), output: expression('step.output') }

type ForEach<E, O> = (item: Ref<E>, index: Ref<number>) => O
/** With a limit of its own: how many items are at work at once. */
export type ListOf<E> = Ref<readonly E[]> | { readonly in: Ref<readonly E[]>; readonly concurrency?: number }

function stepForEach(id: string, list: ListOf<unknown>, options: ForEach<unknown, object>) {
  return step(id, { forEach: list, ...options(expression('item'), expression('index')) })
}

/** Steps whose input and output are typed by the functions of the program. */
export interface TypedSteps<F> {
  <O = unknown, N extends FunctionName<F> = never>(
    id: string,
    options: CallOptions<F, N> | OtherOptions,
  ): StepDocument<StepOutput<F, N, O>>
  /** Once for each item of a list; the output is the list of the items' outputs. */
  forEach<O = unknown, E = unknown, N extends FunctionName<F> = never>(
    id: string,
    list: ListOf<E>,
    options: ForEach<E, CallOptions<F, N> | OtherOptions>,
  ): StepDocument<readonly StepOutput<F, N, O>[]>
}

/** Steps of a plan that was not told the functions: their outputs are what the author says. */
export interface UntypedSteps {
  <O = unknown>(id: string, options: StepOptions): StepDocument<O>
  forEach<O = unknown, E = unknown>(
    id: string,
    list: ListOf<E>,
    options: ForEach<E, StepOptions>,
  ): StepDocument<readonly O[]>
}

export type Steps<F> = unknown extends F ? UntypedSteps : TypedSteps<Unwrapped<F>>

/** The output of the only predecessor, where there is exactly one. */
export function previous<T>(): Ref<T> {
  return expression('previous')
}

export interface PlanHead<I = unknown, F = unknown> {
  readonly plan: string
  readonly version: string
  /** The type of a run's input. */
  readonly input?: Type<I>
  /** The program's step functions, or their type: what `run` may name. Nothing of it enters the plan. */
  readonly steps?: F | Type<F>
  readonly requires?: readonly string[]
  readonly schemaVersion?: string
  readonly metadata?: Partial<Omit<PlanMetadata, 'planId' | 'planVersion' | 'requiresCapabilities'>>
  readonly inputs?: JsonSchema
  /** When a server starts it, from when it is published on. */
  readonly schedule?: PlanSchedule
  readonly context?: Readonly<Record<string, Json>>
  readonly policy?: {
    readonly concurrency?: number
    readonly onFailure?: FailurePolicy
    readonly retry?: RetryOptions
    readonly timeoutMs?: number
    readonly timeout?: Duration
    readonly runTimeoutMs?: number
    readonly runTimeout?: Duration
    readonly drainTimeoutMs?: number
    readonly drainTimeout?: Duration
  }
}

export interface PlanBody<M> {
  readonly steps: readonly StepDocument<unknown>[]
  readonly output?: M
  /** What runs are found by; references to the input, or texts. */
  readonly labels?: Readonly<Record<string, Ref<string | number | boolean | null | undefined> | string>>
}

export interface RunFacts {
  readonly id: string
  readonly planId: string
  readonly planVersion: string
  readonly attempt: number
}

/** What the body of a plan refers to, and what it makes steps with. */
export interface PlanParts<I, F> {
  readonly input: Ref<I>
  readonly run: Ref<RunFacts>
  readonly context: Ref<Readonly<Record<string, unknown>>>
  readonly step: Steps<F>
}

const makeStep: unknown = Object.assign(step, { forEach: stepForEach })

export function definePlan<M, I = unknown, F = unknown>(
  { input: _input, steps: _functions, ...head }: PlanHead<I, F>,
  body: (parts: PlanParts<I, F>) => PlanBody<M>,
): PlanDocument<I, Resolved<M>> {
  const { steps, output, labels } = body({
    input: expression('input'),
    run: expression('run'),
    context: expression('context'),
    step: makeStep as Steps<F>,
  })
  const document = {
    ...head,
    steps: steps.map(({ id, fields }) => ({ id, ...fields })),
    ...(output === undefined ? {} : { output }),
    ...(labels === undefined ? {} : { labels }),
  }
  return written(document) as PlanDocument<I, Resolved<M>>
}

function quoted(id: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(id) ? id : JSON.stringify(id)
}

/** References become `\${…}`, steps under `dependsOn` become their ids; everything else stays unchanged. */
function written(value: unknown): unknown {
  const path = pathOf(value)
  if (path !== undefined) return `\${${path}}`
  if (Array.isArray(value)) return value.map(written)
  if (typeof value !== 'object' || value === null) return value
  if (isStep(value)) return value.id
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, written(entry)]))
}

function isStep(value: object): value is StepDocument<unknown> {
  return 'fields' in value && 'output' in value && 'id' in value && pathOf(value.output) !== undefined
}
