/** What may be written in a step of a typed plan: its fields, and what its functions take and give. */
import type { Duration } from '../../duration.ts'
import type { Mapped, Ref } from '../format/reference.ts'
import type {
  Action,
  Capture,
  FallbackTrigger,
  Isolation,
  Json,
  JsonSchema,
  RetryPolicy,
  SkipPolicy,
  StepEffect,
} from '../plan.ts'

type OneOf<U> = U extends unknown ? { readonly [K in keyof U]: Writable<U[K]> } : never
/** Defaults may be left out, a reference may replace any value, and milliseconds may be a duration. */
type Writable<T> = T extends object ? { readonly [K in keyof T]?: unknown } & DurationsOf<T> : T
type DurationsOf<T> = { readonly [K in keyof T as K extends `${infer Name}Ms` ? Name : never]?: Duration }
export type RetryOptions = Partial<RetryPolicy> & DurationsOf<RetryPolicy>

interface UndoFields {
  readonly with?: unknown
  readonly retry?: RetryOptions
  readonly timeoutMs?: number
  readonly timeout?: Duration
}

export interface StepFields {
  readonly with?: unknown
  readonly dependsOn?: readonly (string | StepDocument<unknown>)[]
  readonly order?: number
  readonly if?: string | Ref<unknown>
  readonly unless?: string | Ref<unknown>
  readonly onSkip?: SkipPolicy
  readonly onFailure?: 'continue'
  readonly inputSchema?: JsonSchema
  readonly outputSchema?: JsonSchema
  readonly capture?: readonly (Omit<Capture, 'merge'> & Partial<Capture>)[]
  readonly isolate?: { readonly readOnly?: readonly string[]; readonly private?: readonly string[] }
  readonly retry?: RetryOptions
  readonly timeoutMs?: number
  readonly timeout?: Duration
  readonly agent?: string
  readonly resources?: Readonly<Record<string, number>>
  readonly priority?: number
  readonly secrets?: Readonly<Record<string, `secret://${string}`>>
  readonly effect?: StepEffect
  readonly compensate?: OneOf<Action> & UndoFields
  readonly fallback?: OneOf<Action> & { readonly with?: unknown }
  readonly fallbackOn?: readonly FallbackTrigger[]
  readonly isolation?: Isolation
  readonly handlerVersion?: string
  readonly dispatch?: { readonly taskQueue?: string; readonly queue?: string }
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

/** The step that is undone: what it was given, and what came of it. */
export interface Own<I, O> {
  readonly input: Ref<I>
  readonly output: Ref<O>
}
type AnyStepFunction = (input: never, ...rest: never[]) => unknown

/** The names by which plans call the functions: `reserve`, or `stock.reserve` for grouped ones. */
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
/** A module's `export default {…}` and `export const steps = {…}` count like its named exports. */
export type Unwrapped<F> = Omit<F, Wrapper<F>> & Held<F, 'default'> & Held<F, 'steps'>
type Wrapper<F> = 'default' | (F extends { readonly steps: AnyStepFunction } ? never : 'steps')
type Held<F, K extends string> = F extends { readonly [N in K]: infer H extends object }
  ? H extends AnyStepFunction
    ? unknown
    : H
  : unknown
type InputOf<F> = F extends (...args: infer A) => unknown ? A[0] : never
type OutputOf<F> = F extends (...args: never) => infer O ? Awaited<O> : never
/** A function without an input needs no `with`. */
type With<I> = unknown extends I
  ? { readonly with?: unknown }
  : I extends undefined
    ? { readonly with?: undefined }
    : { readonly with: Mapped<I> }
export type CallOptions<F, N> = Omit<StepFields, 'with' | 'compensate' | 'fallback'> & {
  readonly run: N
  readonly fallback?: FallbackOf<F>
  readonly compensate?: CompensationOf<F, FunctionNamed<F, N>>
} & With<InputOf<FunctionNamed<F, N>>>

/** Whatever is no call of a function. */
type OtherAction = Exclude<OneOf<Action>, { readonly run: unknown }> & { readonly run?: never }

/** A function of the program, with the input that it takes; or another action. */
type FallbackOf<F> =
  | { [U in FunctionName<F>]: { readonly run: U } & With<InputOf<FunctionNamed<F, U>>> }[FunctionName<F>]
  | (OtherAction & { readonly with?: unknown })

/** The same for what undoes a step `S`, or made from the input and output of that step. */
type CompensationOf<F, S> = UndoOf<F, S> | ((own: Own<InputOf<S>, OutputOf<S>>) => UndoOf<F, S>)
type UndoOf<F, S> =
  | {
      [U in FunctionName<F>]: Omit<UndoFields, 'with'> & { readonly run: U } & UndoWith<InputOf<FunctionNamed<F, U>>, S>
    }[FunctionName<F>]
  | (OtherAction & UndoFields)
/** A function that takes `{ input, output }` of the step needs no `with`. */
type UndoWith<I, S> = [{ readonly input: InputOf<S>; readonly output: OutputOf<S> }] extends [I]
  ? { readonly with?: Mapped<I> }
  : With<I>

/** Everything a step can be but a call of a function. */
export type OtherOptions = StepOptions & { readonly run?: never }
/** Of a function that the step names; of any other step, what the author says. */
export type StepOutput<F, N, O> = [N] extends [never] ? O : OutputOf<FunctionNamed<F, N>>
