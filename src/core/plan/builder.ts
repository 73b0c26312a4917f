/**
 * Plans written in TypeScript, typed from the run's input through the outputs of steps to the run's result. What comes
 * out is the same document an author would write in YAML, and compiles to the same bytes.
 *
 *     const order = definePlan<{ orderId: string }>()({ plan: 'order', version: '1.0.0' }, (input) => {
 *       const reserve = step<{ id: string }>('reserve', { run: 'stock.reserve', with: { order: input.orderId } })
 *       return { steps: [reserve], output: { reservation: reserve.output.id } }
 *     })
 */
import type {
  Action,
  Capture,
  FailurePolicy,
  FallbackTrigger,
  Isolation,
  Json,
  JsonSchema,
  PlanMetadata,
  RetryPolicy,
  StepEffect,
} from './plan.ts'
import { expression, pathOf, type Mapped, type Ref, type Resolved } from './reference.ts'

export { expression, text, type Ref } from './reference.ts'

declare const TYPES: unique symbol

/** Carries the types of a run's input and result through the compiler, and is nothing at run time. */
export interface TypedPlan<I = unknown, O = unknown> {
  readonly [TYPES]?: { readonly input: I; readonly output: O }
}

/** The author's document, with the types of the run it describes. */
export type PlanDocument<I = unknown, O = unknown> = { readonly [field: string]: Json } & TypedPlan<I, O>
export type PlanInput<D> = D extends TypedPlan<infer I> ? I : never
export type PlanOutput<D> = D extends TypedPlan<unknown, infer O> ? O : never

type OneOf<U> = U extends unknown ? { readonly [K in keyof U]: Writable<U[K]> } : never
/** Defaults may be left out, and a reference may stand for any value. */
type Writable<T> = T extends object ? { readonly [K in keyof T]?: unknown } : T

export interface StepFields {
  readonly with?: unknown
  readonly dependsOn?: readonly (string | StepDocument<unknown>)[]
  readonly order?: number
  readonly if?: string | Ref<unknown>
  readonly unless?: string | Ref<unknown>
  readonly inputSchema?: JsonSchema
  readonly outputSchema?: JsonSchema
  readonly capture?: readonly (Omit<Capture, 'merge'> & Partial<Capture>)[]
  readonly isolate?: { readonly readOnly?: readonly string[]; readonly private?: readonly string[] }
  readonly retry?: Partial<RetryPolicy>
  readonly timeoutMs?: number
  readonly agent?: string
  readonly resources?: Readonly<Record<string, number>>
  readonly priority?: number
  readonly secrets?: Readonly<Record<string, `secret://${string}`>>
  readonly effect?: StepEffect
  readonly compensate?: OneOf<Action> & {
    readonly with?: unknown
    readonly retry?: Partial<RetryPolicy>
    readonly timeoutMs?: number
  }
  readonly fallback?: OneOf<Action> & { readonly with?: unknown }
  readonly fallbackOn?: readonly FallbackTrigger[]
  readonly isolation?: Isolation
  readonly handlerVersion?: string
  readonly dispatch?: { readonly taskQueue?: string }
  readonly name?: string
  readonly description?: string
  readonly labels?: Readonly<Record<string, string>>
  readonly plannedEffects?: readonly Json[]
}

export type StepOptions = OneOf<Action> & StepFields

/** A step as written, with a typed reference to its output. */
export interface StepDocument<O> {
  readonly id: string
  readonly fields: object
  readonly output: Ref<O>
}

export function step<O = unknown>(id: string, options: StepOptions): StepDocument<O> {
  return { id, fields: options, output: expression(`steps.${quoted(id)}.output`) }
}

type AnyStepFunction = (input: never, ...rest: never[]) => unknown

/** The names plans call the functions by: `reserve`, and `stock.reserve` where they are grouped. */
export type FunctionName<F> = {
  [K in keyof F & string]: F[K] extends AnyStepFunction ? K : F[K] extends object ? `${K}.${FunctionName<F[K]>}` : never
}[keyof F & string]

type FunctionNamed<F, N> = N extends keyof F
  ? F[N]
  : N extends `${infer G}.${infer R}`
    ? G extends keyof F
      ? FunctionNamed<F[G], R>
      : never
    : never
type InputOf<F> = F extends (...args: infer A) => unknown ? A[0] : never
type OutputOf<F> = F extends (...args: never) => infer O ? Awaited<O> : never
/** A function that asks for no input needs no `with`. */
type With<I> = unknown extends I
  ? { readonly with?: unknown }
  : I extends undefined
    ? { readonly with?: undefined }
    : { readonly with: Mapped<I> }
type CallOptions<F, N> = Omit<StepFields, 'with'> & { readonly run: N } & With<InputOf<FunctionNamed<F, N>>>

export interface TypedSteps<F> {
  <N extends FunctionName<F>>(id: string, options: CallOptions<F, N>): StepDocument<OutputOf<FunctionNamed<F, N>>>
  /** Once for each item of a list; the output is the list of theirs. */
  forEach<N extends FunctionName<F>, E>(
    id: string,
    list: Ref<readonly E[]>,
    options: (item: Ref<E>, index: Ref<number>) => CallOptions<F, N>,
  ): StepDocument<readonly OutputOf<FunctionNamed<F, N>>[]>
}

/** Like `step`, with input and output typed by the functions themselves: `const call = stepsOf<typeof functions>()`. */
export function stepsOf<F extends object>(): TypedSteps<F> {
  const call = (id: string, options: StepOptions): StepDocument<unknown> => step(id, options)
  return Object.assign(call, { forEach: forEachStep }) as unknown as TypedSteps<F>
}

/** A step that runs once for each item of a list; its output is the list of theirs. */
export function forEachStep<O = unknown, E = unknown>(
  id: string,
  list: Ref<readonly E[]>,
  options: (item: Ref<E>, index: Ref<number>) => StepOptions,
): StepDocument<readonly O[]> {
  const fields = { forEach: list, ...options(expression('item'), expression('index')) }
  return { id, fields, output: expression(`steps.${quoted(id)}.output`) }
}

/** The output of the only predecessor, where there is exactly one. */
export function previous<T>(): Ref<T> {
  return expression('previous')
}

export interface PlanHead {
  readonly plan: string
  readonly version: string
  readonly requires?: readonly string[]
  readonly schemaVersion?: string
  readonly metadata?: Partial<Omit<PlanMetadata, 'planId' | 'planVersion' | 'requiresCapabilities'>>
  readonly inputs?: JsonSchema
  readonly context?: Readonly<Record<string, Json>>
  readonly policy?: {
    readonly concurrency?: number
    readonly onFailure?: FailurePolicy
    readonly retry?: Partial<RetryPolicy>
    readonly timeoutMs?: number
    readonly runTimeoutMs?: number
  }
}

export interface PlanBody<M> {
  readonly steps: readonly StepDocument<unknown>[]
  readonly output?: M
}

export interface RunFacts {
  readonly id: string
  readonly planId: string
  readonly planVersion: string
  readonly attempt: number
}
type Roots = { readonly run: Ref<RunFacts>; readonly context: Ref<Readonly<Record<string, unknown>>> }

/** Called twice so that the input's type can be given and the output's is found. */
export function definePlan<I = unknown>() {
  return <M>(head: PlanHead, body: (input: Ref<I>, roots: Roots) => PlanBody<M>): PlanDocument<I, Resolved<M>> => {
    const { steps, output } = body(expression('input'), { run: expression('run'), context: expression('context') })
    const document = {
      ...head,
      steps: steps.map(({ id, fields }) => ({ id, ...fields })),
      ...(output === undefined ? {} : { output }),
    }
    return written(document) as PlanDocument<I, Resolved<M>>
  }
}

function quoted(id: string): string {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(id) ? id : JSON.stringify(id)
}

/** References become `\${…}`, steps under `dependsOn` their ids; everything else stays as it is. */
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
