/** The options of `openKeelson`: engine, steps, store, and what plans may reach. */
import { type EnvironmentAccess } from '../adapters/secrets/env.ts'
import { type EngineChoice, type OtherEngine } from './engine-world.ts'
import { type CommitClasses } from '../app/commit/classes.ts'
import { type DeclaredPools } from '../app/grants/pool-definitions.ts'
import type { TurnResult } from '../ports/engine.ts'
import type { RunKey, RunStore } from '../ports/run-store.ts'
import type { SecretsProvider } from '../ports/secrets.ts'
import type { StepFunctions, StepHandlers } from '../ports/step-handlers.ts'
import { type AlertOptions } from '../library/tell/alert-teller.ts'
import { type NoticeOptions } from '../library/tell/process-notices.ts'
import { type TellProblem } from '../library/tell/receipt-service.ts'
import { type TroubleOptions } from '../library/tell/store-trouble.ts'

export interface OpenOptions extends TroubleOptions, NoticeOptions, AlertOptions, EnvironmentAccess, DeclaredPools {
  /**
   * `embedded`, or `mock`: the same engine under a simulated clock, for tests. Waits, backoff and timeouts then take no
   * time; only the code of steps does. Or an outside engine, such as `temporal(…)` of `keelson/temporal`.
   */
  readonly engine?: EngineChoice
  /** Further engines of this process, beside the one that new runs start on: `migrate` moves runs between them. */
  readonly engines?: readonly OtherEngine[]
  /** What runs steps, instead of `steps`, `egress` and `commands`. */
  readonly handlers?: StepHandlers
  /** Wraps the handlers, for example to watch calls; Keelson itself never listens on the process. */
  readonly around?: (handlers: StepHandlers) => StepHandlers
  /** Step functions by name, or a whole module of them: what `run:` in a plan calls. Groups give dotted names. */
  readonly steps?: StepFunctions
  /** Path of the file with the step functions. Steps with `isolation: thread` or `process` load it where they run. */
  readonly stepsModule?: string
  /**
   * Where `http` steps may go besides public addresses: hosts (`db.internal`, `*.corp.example`) and addresses or ranges
   * (`10.0.0.0/8`), each with an optional port. `only: true` closes everything that is not named.
   */
  readonly egress?: { readonly allow?: readonly string[]; readonly only?: boolean; readonly silenceMs?: number }
  /** May plans start programs (`command` steps), and in which folder? Default no; `true` is the current folder. */
  readonly commands?: boolean | { readonly cwd: string }
  /**
   * The tenant of this instance: it starts, finds, lists, follows and drives only runs of this tenant. Default `local`,
   * which also drives runs that other tenants started in this store through `operations`.
   */
  readonly tenantId?: string
  /** Where state is stored; default `.keelson` in the current folder. `:memory:` keeps nothing. */
  readonly directory?: string
  /** Only reads, and writes nothing; `if-needed`: where the database or its folder cannot be written. Default false. */
  readonly readOnly?: boolean | 'if-needed'
  /** A store other than SQLite in `directory`, such as that of `openPostgresStore`; it is closed with Keelson. */
  readonly store?: RunStore & { readonly onWake?: (listener: () => void) => () => void }
  /**
   * Folder of the keys that sign task tokens and receipts; default `<directory>/keys`. With a store of your own it must
   * be named, the same for all processes on that store, or plans with manual steps are refused.
   */
  readonly keysDirectory?: string
  /**
   * For development: a changed plan may be started and published under the same version. Default false: another plan
   * under the same id and version is refused, so that a version always means one plan.
   */
  readonly replaceVersion?: boolean
  /**
   * For development: references may name plans by `file:///…` in this folder and below it. Default: no file is read; nor is
   * one for an actor in production.
   */
  readonly planFiles?: string
  /** Drive runs. False: this process starts, steers and reads them, and another one on the same store drives them. Default true. */
  readonly drives?: boolean
  /**
   * Keep views of runs, tell alerts and issue receipts: `true` (default) of the runs that this process drives, `'all'` of every run of
   * the store, whoever drives it, for the one process that follows for others.
   */
  readonly follows?: boolean | 'all'
  /** Adopt runs of this store that have no live driver. Default true. */
  readonly adopt?: boolean
  readonly leaseMs?: number
  readonly pollMs?: number
  /** Steps that run at once in this process, over all its runs. Default 256. */
  readonly maxSteps?: number
  /**
   * Bounds the young generation of V8 and collects old objects earlier, in the whole process and for as long as it lives:
   * less memory under load, for some processor time. The command line has it on. Default false.
   */
  readonly smallHeap?: boolean
  /**
   * With `smallHeap`: while the young generation is collected again and again, for less than 45 ms of processor time each, it may grow to 128 MB. A tenth
   * more requests are answered then, for up to 100 MB more. `keelson serve` has it on. Default false.
   */
  readonly heapGrowsWhenBusy?: boolean
  /**
   * Resolves `secret://…`. Default: the file `<directory>/secrets/<tenantId>/<environmentId>.json` or `.env` (mode
   * 0600), then the environment variables of this process that `environmentSecrets` allows.
   */
  readonly secrets?: SecretsProvider
  /** Told how many milliseconds each commit to the store took, for metrics. */
  readonly onWritten?: (ms: number) => void
  readonly onProgress?: (runKey: RunKey, report: TurnResult) => void
  /**
   * How the store is used. The fate of a write of events that exceeds its time limit (default 3,000 ms) counts as
   * unknown; with `failOpenForEventClass: ['StepStarted']` steps may begin all the same, and the log follows (ADR
   * 0003).
   */
  readonly stateStore?: { readonly writeLatencyBudgetMs?: number } & CommitClasses
  /** Spans and metrics through `@opentelemetry/api`, which must be installed; default off. */
  readonly telemetry?: boolean
  /**
   * Sign receipts of runs' starts and ends into `<directory>/receipts`. Problems are warnings unless `onProblem` is
   * given.
   */
  readonly receipts?: boolean | { readonly onProblem: TellProblem }
}
