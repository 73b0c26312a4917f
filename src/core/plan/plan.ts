/**
 * The compiled plan: every field of docs/reference/plan.md with its default filled in.
 * Its canonical JSON (RFC 8785) is its identity; `null` never stands for "absent", a missing field does.
 */
export type FailurePolicy = 'failFast' | 'continue' | 'hold'
export type StepEffect = 'none' | 'idempotent' | 'compensatable' | 'irreversible'
export type Isolation = 'inline' | 'thread' | 'process'
export type FallbackTrigger = 'exhausted' | 'permanent'
export type RetryableClass = 'timeout' | 'rate_limit' | '5xx' | 'transport' | 'unknown'
export type JsonSchema = Readonly<Record<string, unknown>> | boolean
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

export interface RetryPolicy {
  readonly maxAttempts: number
  readonly initialBackoffMs: number
  readonly backoffMultiplier: number
  readonly maxBackoffMs: number
  readonly retryableErrors?: readonly RetryableClass[]
}

export interface RunAction {
  readonly run: string
}
export interface HttpAction {
  readonly http: {
    readonly url: string
    readonly method: string
    readonly headers?: { readonly [name: string]: Json }
    readonly query?: { readonly [name: string]: Json }
    readonly body?: Json
    readonly expect: 'json' | 'text' | 'none'
    readonly bigints?: 'text'
  }
}
export interface CommandAction {
  readonly command: {
    readonly argv: readonly string[]
    readonly cwd?: string
    readonly env?: { readonly [name: string]: string }
    readonly stdin?: Json
    readonly bigints?: 'text'
  }
}
export interface WaitAction {
  /** forMs is a number or a `${…}` expression giving one; until an RFC 3339 instant or an expression. */
  readonly wait: { readonly forMs: number | string } | { readonly until: string }
}
export interface ManualAction {
  readonly manual: {
    readonly title: string
    readonly instructions?: string
    readonly rule?: string
    readonly assignees?: readonly string[]
    readonly evidenceSchema?: JsonSchema
    readonly expiresAfterMs?: number
  }
}
export interface PlanReference {
  readonly planId: string
  readonly planVersion?: string
  readonly uri?: string
  readonly sha256?: string
  readonly schemaVersion?: string
}
export interface PlanAction {
  readonly plan: PlanReference
}
export interface DbtAction {
  readonly dbt: {
    readonly project: string
    readonly command: string
    readonly select?: string
    readonly target?: string
    readonly profilesDir?: string
  }
}
export type Action = RunAction | HttpAction | CommandAction | WaitAction | ManualAction | PlanAction | DbtAction
export type ActionKind = 'run' | 'http' | 'command' | 'wait' | 'manual' | 'plan' | 'dbt'

/** What a mapping under `with`, `output` or `body` may hold: JSON whose strings may contain `${…}`. */
export type Mapping = { readonly [key: string]: Json }

export interface Capture {
  /** Dotted path in the context, such as `order.total`. */
  readonly destination: string
  readonly transform?: string
  readonly merge: 'replace' | 'merge' | 'append'
}

export type Compensation = (RunAction | HttpAction | CommandAction | DbtAction) & {
  readonly with: Mapping
  readonly retry: RetryPolicy
  readonly timeoutMs: number
}

export type Fallback = (RunAction | HttpAction | CommandAction | DbtAction) & { readonly with: Mapping }

export interface StepCommon {
  readonly stepId: string
  readonly order: number
  /** Absent on every step of a sequential plan, present (maybe empty) on every step of a graph. */
  readonly dependsOn?: readonly string[]
  readonly with: Mapping
  readonly inputSchema?: JsonSchema
  readonly outputSchema?: JsonSchema
  readonly if?: string
  readonly unless?: string
  readonly forEach?: string
  readonly capture?: readonly Capture[]
  readonly isolate?: { readonly readOnly?: readonly string[]; readonly private?: readonly string[] }
  readonly retry: RetryPolicy
  readonly timeoutMs: number
  readonly agent?: string
  readonly resources?: { readonly [name: string]: number }
  readonly priority: number
  readonly secrets?: { readonly [name: string]: string }
  readonly effect: StepEffect
  readonly compensate?: Compensation
  readonly fallback?: Fallback
  readonly fallbackOn: readonly FallbackTrigger[]
  readonly isolation: Isolation
  readonly handlerVersion?: string
  readonly dispatch?: { readonly taskQueue?: string }
  readonly name?: string
  readonly description?: string
  readonly labels?: { readonly [name: string]: string }
  readonly plannedEffects?: readonly Json[]
}
export type Step = StepCommon & Action

export interface PlanMetadata {
  readonly planId: string
  readonly planVersion: string
  readonly name?: string
  readonly description?: string
  readonly labels?: { readonly [name: string]: string }
  readonly requiresCapabilities?: readonly string[]
  readonly fallbackBehavior: 'reject' | 'emulate' | 'degrade'
  readonly targetAdapter: 'any' | 'embedded' | 'temporal' | 'conductor' | 'mock'
}

export interface PlanPolicy {
  readonly concurrency: number
  readonly onFailure: FailurePolicy
  readonly retry: RetryPolicy
  readonly timeoutMs: number
  readonly runTimeoutMs?: number
}

export interface Plan {
  readonly schemaVersion: string
  readonly metadata: PlanMetadata
  readonly inputs?: JsonSchema
  readonly context: { readonly [variable: string]: Json }
  readonly policy: PlanPolicy
  readonly output?: Json
  readonly steps: readonly Step[]
}

/** Whether the texts of a manual task hold `${…}`, so that they are mapped for each task. */
export function hasMappedTexts({ title, instructions, assignees }: ManualAction['manual']): boolean {
  return [title, instructions ?? '', ...(assignees ?? [])].some((text) => text.includes('${'))
}

export function actionKind(action: Action | Compensation | Fallback): ActionKind {
  if ('run' in action) return 'run'
  if ('http' in action) return 'http'
  if ('command' in action) return 'command'
  if ('wait' in action) return 'wait'
  if ('manual' in action) return 'manual'
  if ('plan' in action) return 'plan'
  return 'dbt'
}
