/**
 * The compiled plan: every field of docs/reference/plan.md with its default filled in. Its canonical JSON (RFC 8785) is
 * its identity; an absent field is missing, never `null`.
 */
export type FailurePolicy = 'failFast' | 'continue' | 'hold'
/** Whether a predecessor that was skipped by its condition lets a step run, or has it skipped too. */
export type SkipPolicy = 'satisfy' | 'cascade'
export type StepEffect = 'none' | 'idempotent' | 'compensatable' | 'irreversible'
export type Isolation = 'inline' | 'thread' | 'process'
export type FallbackTrigger = 'exhausted' | 'permanent'
export type RetryableClass = 'timeout' | 'rate_limit' | '5xx' | 'transport' | 'unknown'
export type JsonSchema = Readonly<Record<string, unknown>> | boolean
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

export interface RetryPolicy {
  readonly maxAttempts: number | 'unlimited'
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
export interface EventWait {
  readonly forEvent: string
  /** Text that may hold `${…}`; absent: only events without a key. */
  readonly key?: string
  /** A bare expression that may read `event`; absent: every event of that name and key will do. */
  readonly match?: string
  readonly timeoutMs?: number
}
export interface WaitAction {
  /** forMs is a number or a `${…}` expression giving one; until an RFC 3339 instant or an expression. */
  readonly wait: { readonly forMs: number | string } | { readonly until: string } | EventWait
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

/** The list; with a limit of its own, how many of its items are at work at once. */
export type ForEach = string | { readonly in: string; readonly concurrency: number }

export interface Capture {
  /** Dotted path in the context, such as `order.total`. */
  readonly destination: string
  readonly transform?: string
  readonly merge: 'replace' | 'merge' | 'append'
}

export type Compensation = (RunAction | HttpAction | CommandAction | DbtAction) & {
  readonly with: Mapping
  readonly inputSchema?: JsonSchema
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
  /** Absent: as the policy of the plan says. */
  readonly onSkip?: SkipPolicy
  /** Its final failure counts as handled: dependents run and read null. */
  readonly onFailure?: 'continue'
  readonly forEach?: ForEach
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
  /** `taskQueue` is of the engine; what has a `queue` is done by remote workers. */
  readonly dispatch?: { readonly taskQueue?: string; readonly queue?: string }
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
  /** Absent: `satisfy`. Not filled in, so that plans from before this field keep their identity. */
  readonly onSkip?: SkipPolicy
  readonly retry: RetryPolicy
  readonly timeoutMs: number
  readonly runTimeoutMs?: number
  readonly drainTimeoutMs?: number
}

/** What it says of times is checked when the plan is published. */
export interface PlanSchedule {
  readonly cron?: string
  readonly every?: string
  readonly zone?: string
  readonly input?: Json
  readonly overlap?: 'allow' | 'skip' | 'queue' | 'cancelOld'
  readonly catchUp?: 'none' | 'latest' | 'all'
  readonly catchUpMax?: number
  readonly jitter?: string
}

export interface Plan {
  readonly schemaVersion: string
  readonly metadata: PlanMetadata
  /**
   * Made for the block of a forEach: its input holds `item`, `index`, `input` and the outputs of these outer steps, which
   * are roots of its expressions.
   */
  readonly forItem?: { readonly steps: readonly string[] }
  readonly inputs?: JsonSchema
  /** What its runs are found by; texts that may hold `${…}` over the input. */
  readonly labels?: { readonly [name: string]: string }
  /** Runs with the same value count together against a limit; may hold `${…}` over the input. */
  readonly concurrencyKey?: string
  /** When a server starts it. */
  readonly schedule?: PlanSchedule
  readonly context: { readonly [variable: string]: Json }
  readonly policy: PlanPolicy
  readonly output?: Json
  readonly steps: readonly Step[]
}

/** The expression that gives the list of a forEach. */
export function itemsOf(forEach: ForEach): string {
  return typeof forEach === 'string' ? forEach : forEach.in
}

/** Whether the texts of a manual task hold `${…}`, so that they are mapped for each task. */
export function hasMappedTexts({ title, instructions, assignees }: ManualAction['manual']): boolean {
  return [title, instructions ?? '', ...(assignees ?? [])].some((text) => text.includes('${'))
}

/** The event that a step waits for; undefined for every other step. */
export function eventOf(step: Step): EventWait | undefined {
  return 'wait' in step && 'forEvent' in step.wait ? step.wait : undefined
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
