/**
 * The front door of the library: ties stores, engine and use cases together. `openKeelson` gives a process the embedded
 * engine on a SQLite file under `.keelson/` (or in memory), with nothing else to install or start.
 */
import { join, resolve } from 'node:path'
import { localArtifacts } from './adapters/artifacts/local.ts'
import { fileAudit } from './adapters/files/audit-lines.ts'
import { fileBundleShelf } from './adapters/files/bundle-shelf.ts'
import { fileIntentBuffer } from './adapters/files/intent-buffer.ts'
import { readLines } from './adapters/files/read-lines.ts'
import { fileReceiptLines } from './adapters/files/receipt-lines.ts'
import { openDoor } from './adapters/egress/door.ts'
import { DEFAULT_LEASE_MS } from './adapters/engines/embedded/engine.ts'
import { LoopGuard } from './adapters/guard/loop-guard.ts'
import type { NamedFunctions } from './adapters/handlers/functions.ts'
import { stepHandlers } from './adapters/handlers/step-handlers.ts'
import { isolatedHandlers } from './adapters/isolation/isolated-handlers.ts'
import { threadHost } from './adapters/isolation/thread-host.ts'
import { signingKeysIn } from './adapters/keys/signing-keys.ts'
import { processHost } from './adapters/processes/isolated-function.ts'
import { systemProcesses } from './adapters/processes/run-command.ts'
import { firstOf } from './adapters/secrets/chain.ts'
import { allowedVariables, envSecrets, type EnvironmentAccess } from './adapters/secrets/env.ts'
import { fileSecrets } from './adapters/secrets/file.ts'
import { openMemoryStore } from './adapters/stores/memory/store.ts'
import { openSqliteStore, type SqliteStore } from './adapters/stores/sqlite/store.ts'
import { logLines } from './adapters/telemetry/log-lines.ts'
import { openTelemetry } from './adapters/telemetry/open-telemetry.ts'
import { isOwnerAlive, isOwnerGone, processOwner } from './adapters/system/process-owner.ts'
import { systemRandom } from './adapters/system/random.ts'
import { systemTimers } from './adapters/system/timers.ts'
import { openEngines, worldOf, type EngineChoice, type OtherEngine } from './engine-world.ts'
import { DATABASE, receiptBookIn } from './restore-keelson.ts'
import { RunAdvancer } from './app/advance-run.ts'
import { lateClasses, type CommitClasses } from './app/commit-classes.ts'
import { FailOpen, type FailOpenParts } from './app/commit-fail-open.ts'
import { checkBundle, type BundleReport } from './app/check-bundle.ts'
import type { Engines } from './app/engines.ts'
import { receiptFollower } from './app/issue-receipts.ts'
import { LeftAlone } from './app/left-alone.ts'
import { LOCAL_PRINCIPAL } from './app/principal.ts'
import { Redactor } from './app/redact.ts'
import { createRunDriver } from './app/run-driver.ts'
import type { Services } from './app/services.ts'
import { poolDefinitions, type DeclaredPools } from './app/pool-definitions.ts'
import { egressPolicy } from './core/egress/policy.ts'
import { namedFunctions } from './core/plan/named-functions.ts'
import { fail, KeelsonError, type Problem } from './core/problems/problem.ts'
import type { Clock } from './ports/clock.ts'
import type { AdvanceReport, EngineCapabilities } from './ports/engine.ts'
import type { RunKey, RunStore } from './ports/run-store.ts'
import type { SecretsProvider } from './ports/secrets.ts'
import type { StepFunctions, StepHandlers } from './ports/step-handlers.ts'
import { Hooks } from './edge/library/hooks.ts'
import { Keelson } from './edge/library/keelson.ts'
import { Moves } from './edge/library/moves.ts'
import type { Parts } from './edge/library/parts.ts'
import { blockTeller, jumpTeller, type NoticeOptions } from './edge/library/process-notices.ts'
import { startReceipts, warnOfProblem, type TellProblem } from './edge/library/receipt-service.ts'
import { troubleTeller, type TroubleOptions } from './edge/library/store-trouble.ts'
import { demandedKey, Upkeep, type VerifyOptions } from './edge/library/upkeep.ts'

export {
  Keelson,
  type ForkOptions,
  type MigrateOptions,
  type StartArguments,
  type StartOptions,
} from './edge/library/keelson.ts'
export { isEvent } from './edge/library/is-event.ts'
export { loadPlan, type Startable } from './edge/library/load-plan.ts'
export { Subscription, type FeedEvent, type SubscribeOptions } from './edge/library/subscription.ts'
export type { Approver, Decided, RunQueue } from './edge/library/run-queue.ts'
export type { Upkeep, VerifyOptions } from './edge/library/upkeep.ts'
export { RunHandle, type AwaitOptions, type SignalOptions } from './edge/library/run-handle.ts'
export type { RunError, RunResult } from './edge/library/run-result.ts'
export type { RunTrouble } from './app/run-trouble.ts'
export type { ForkPreview } from './app/fork-run.ts'
export { restoreKeelson, type Restored, type RestoreOptions } from './restore-keelson.ts'
export { KeelsonError, type Problem } from './core/problems/problem.ts'
export type { HookEvents, HookHandler, HookName, StoreTrouble } from './ports/hooks.ts'
export type { ClockJump } from './core/clock-jumps.ts'
export type { LoopBlock } from './ports/loop-guard.ts'
export type { StepContext, StepFunction, StepFunctions } from './ports/step-handlers.ts'
export type { CompiledPlan } from './app/compile-plan.ts'
export type { Migration } from './app/migrate-run.ts'
export type { EnrichedStatus, RunOperations, StartContext } from './app/run-operations.ts'
export type { ActorContext, EngineSignal, ProviderAdapter } from './ports/provider-adapter.ts'
export type { EngineRunRef } from './core/engine/run-ref.ts'
export type { PlanRef } from './core/plan/plan-ref.ts'
export type { OpenTask, TaskCompletion } from './app/manual-tasks.ts'
export type { PlanDocument, PlanInput, PlanOutput } from './core/plan/builder.ts'
export type { RunContext, StepResult } from './ports/run-context.ts'
export type { StepOutput } from './core/view/step-output.ts'
export type { SecretScope, SecretsProvider, SecretValue } from './ports/secrets.ts'
export type { ForeignRecord, RunEventRecord, RunEventWrite } from './core/events/event.ts'

export interface OpenOptions extends TroubleOptions, NoticeOptions, EnvironmentAccess, DeclaredPools {
  /**
   * `embedded`, or `mock`: the same engine under a simulated clock, for tests. Waits, backoff and timeouts then take no
   * time; only the code of steps does. Or an outside engine, such as `temporal(…)` of `keelson/temporal`.
   */
  readonly engine?: EngineChoice
  /** Further engines of this process, beside the one that new runs start on: `migrate` moves runs between them. */
  readonly engines?: readonly OtherEngine[]
  /** What runs steps, instead of `steps`, `egress` and `commands`. */
  readonly handlers?: StepHandlers
  /** Laid around whatever runs steps, for those who watch over calls; Keelson itself never listens on the process. */
  readonly around?: (handlers: StepHandlers) => StepHandlers
  /** Step functions by name, or a whole module of them: what `run:` in a plan calls. Groups give dotted names. */
  readonly steps?: StepFunctions
  /** Path of the file the step functions come from. Steps with `isolation: thread` or `process` load it where they run. */
  readonly stepsModule?: string
  /**
   * Where `http` steps may go besides public addresses: hosts (`db.internal`, `*.corp.example`) and addresses or ranges
   * (`10.0.0.0/8`), each with a port if you like. `only: true` closes everything that is not named.
   */
  readonly egress?: { readonly allow?: readonly string[]; readonly only?: boolean; readonly silenceMs?: number }
  /** May plans start programs (`command` steps), and in which folder? Default no; `true` is the current folder. */
  readonly commands?: boolean | { readonly cwd: string }
  /** Where state lives; default `.keelson` in the current folder. `:memory:` keeps nothing. */
  readonly directory?: string
  /** Only looks, and writes nothing; `if-needed`: where the database or its folder cannot be written. Default false. */
  readonly readOnly?: boolean | 'if-needed'
  /** Another store than SQLite in `directory`, such as `openPostgresStore`'s; it is closed with Keelson. */
  readonly store?: RunStore & { readonly onWake?: (listener: () => void) => () => void }
  /**
   * Folder of the keys that sign task tokens and receipts; default `<directory>/keys`. With a store of your own it must be
   * named, the same for all processes on that store, or plans with manual steps are refused.
   */
  readonly keysDirectory?: string
  /** Adopt runs of this store that have no living driver. Default true. */
  readonly adopt?: boolean
  readonly leaseMs?: number
  readonly pollMs?: number
  /** Steps at work in this process at once, over all its runs. Default 256. */
  readonly maxSteps?: number
  /**
   * Where `secret://…` leads. Default: the file `<directory>/secrets/<tenantId>/<environmentId>.json` or `.env` (mode 0600),
   * then the environment variables of this process that `environmentSecrets` allows.
   */
  readonly secrets?: SecretsProvider
  readonly onProgress?: (runKey: RunKey, report: AdvanceReport) => void
  /**
   * How the store is used. A write of events that takes longer than its budget (default 3,000 ms) is treated as of unknown
   * fate; with `failOpenForEventClass: ['StepStarted']` steps may begin all the same, and the log follows (ADR 0003).
   */
  readonly stateStore?: { readonly writeLatencyBudgetMs?: number } & CommitClasses
  /** Spans and metrics through `@opentelemetry/api`, which must be installed; default off. */
  readonly telemetry?: boolean
  /** Sign receipts of runs' starts and ends into `<directory>/receipts`. Problems are warnings unless told elsewhere. */
  readonly receipts?: boolean | { readonly onProblem: TellProblem }
}

/** Opens the store and starts the embedded engine. Close it (or use `await using`) to give the runs back. */
export async function openKeelson(options: OpenOptions = {}): Promise<Keelson> {
  const directory = options.directory ?? '.keelson'
  const keysFolder = keysFolderOf(directory, options)
  const pools = poolDefinitions(options)
  const late = lateClasses(options.stateStore ?? {}, directory)
  const world = worldOf(options.engine)
  const { store, backup } =
    options.store === undefined ? await openStore(directory, world.services.clock, options) : givenStore(options.store)
  const owner = processOwner(systemRandom)
  const guard = guardOf(world.capabilities, store, owner, options)
  const handlers = calledBy(world, guard, options)
  for (const pool of pools) await store.putPool(pool)
  const intents = directory === ':memory:' ? undefined : intentsIn(directory, { store, late, ...options.stateStore })
  const services: Services = {
    store,
    handlers,
    ...world.services,
    ...keptApart(directory, options),
    ...options.stateStore,
    ...(intents?.isOn === true ? { failOpen: intents } : {}),
    ...(keysFolder === undefined ? { refusesManual: true } : {}),
  }
  const advancer = new RunAdvancer(services)
  if (options.adopt !== false) await intents?.recover(advancer.queue)
  const driver = createRunDriver(services, advancer, {
    lease: (engineType) => engine.of(engineType)?.host.lease(),
    onChild: (row, report) => engine.take(row, report),
  })
  const hooks = await hooksOf(services, advancer, options)
  const moves = new Moves(systemTimers)
  const leftAlone = new LeftAlone({ store, plans: advancer.plans, handlers, owner })
  const engine: Engines = openEngines(world, options.engines ?? [], {
    ...options,
    store,
    driver,
    ...world.services,
    owner,
    isOwnerGone,
    isOwnerAlive,
    scope: LOCAL_PRINCIPAL,
    tell: warnOfProblem,
    adoptOthers: options.adopt ?? true,
    onProgress: (runKey, report) => {
      options.onProgress?.(runKey, report)
      hooks.moved(runKey, report)
      moves.moved(runKey)
    },
    ...(options.store?.onWake === undefined ? {} : { onWake: options.store.onWake }),
    // First what its driver began without the store, as far as it still fits.
    canDrive: async (row) => (await services.failOpen?.recover(advancer.queue), leftAlone.mayDrive(row)),
    onLost: (runKey, problem) => void leftAlone.lost(runKey, problem),
    onStoreTrouble: troubleTeller(options, (text) => services.redactor?.text(text) ?? text),
    onClockJump: jumpTeller(options),
  })
  const process = { owner, isOwnerGone, keys: signingKeysIn(keysFolder, systemRandom), hooks, moves, guard }
  const parts: Parts = { services, advancer, engine, ...process, engineType: world.capabilities }
  if (backup === undefined) return new Keelson(parts)
  return new Keelson({ ...parts, ...lastingParts(directory, services, advancer, backup, options) })
}

/** Under a simulated clock nobody else waits for this process. */
function guardOf(
  { engineType }: EngineCapabilities,
  { leaseRenewal }: RunStore,
  owner: string,
  options: OpenOptions,
): LoopGuard | undefined {
  if (engineType === 'mock') return undefined
  const renewal = leaseRenewal === undefined ? {} : { renewal: leaseRenewal }
  const { leaseMs = DEFAULT_LEASE_MS } = options
  return new LoopGuard({ owner, leaseMs, onBlocked: blockTeller(options), ...renewal })
}

/** Undefined where runs are kept on a server and nobody said which keys its processes share (P-35). */
function keysFolderOf(directory: string, { keysDirectory, store }: OpenOptions): string | undefined {
  return keysDirectory ?? (store === undefined ? join(directory, 'keys') : undefined)
}

/** Intents lie beside the database and not in it: they are for the time in which it does not answer (LAT-07). */
function intentsIn(directory: string, parts: Omit<FailOpenParts, 'buffer' | 'timers' | 'tell'>): FailOpen {
  const buffer = fileIntentBuffer(join(directory, 'intents'), systemRandom.uuid())
  return new FailOpen({ ...parts, buffer, timers: systemTimers, tell: warnOfProblem })
}

async function hooksOf(services: Services, advancer: RunAdvancer, { telemetry, log }: OpenOptions): Promise<Hooks> {
  const hooks = new Hooks({ services, advancer, tell: warnOfProblem })
  const redact = (text: string): string => services.redactor?.text(text) ?? text
  if (telemetry === true) hooks.observe(await openTelemetry())
  if (log !== undefined) hooks.observe(logLines({ write: log, redact }))
  return hooks
}

function handlersOf({ steps = {}, stepsModule, egress = {}, commands = false }: OpenOptions): StepHandlers {
  const policy = egressPolicy(egress.allow ?? [], egress.only)
  if (!policy.ok) throw refusalOf(policy.problems)
  const { silenceMs } = egress
  const door = openDoor({
    policy: policy.value,
    timers: systemTimers,
    ...(silenceMs === undefined ? {} : { silenceMs }),
  })
  const cwd = typeof commands === 'object' ? commands.cwd : '.'
  const path = process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin'
  const processes = commands === false ? {} : { processes: systemProcesses({ cwd, path, timers: systemTimers }) }
  return isolatedHandlers(
    stepHandlers({ functions: namedFunctions(steps) as NamedFunctions, egress: door, ...processes }),
    {
      ...(stepsModule === undefined ? {} : { module: stepsModule }),
      hosts: { thread: threadHost, process: processHost },
      timers: systemTimers,
    },
  )
}

function refusalOf([first, ...rest]: readonly Problem[]): KeelsonError {
  return new KeelsonError([first as Problem, ...rest])
}

/** What the log only ever refers to. A store in memory keeps no files. */
function keptApart(
  directory: string,
  options: OpenOptions,
): Pick<Services, 'secrets' | 'redactor' | 'artifacts' | 'audit'> {
  const { tenantId, environmentId } = LOCAL_PRINCIPAL
  const { secrets: given } = options
  const env = envSecrets({ scope: { tenantId, environmentId }, variables: process.env, ...allowedVariables(options) })
  const redactor = new Redactor()
  if (directory === ':memory:') return { secrets: given ?? env, redactor }
  return {
    secrets: given ?? firstOf([fileSecrets(join(directory, 'secrets')), env]),
    redactor,
    artifacts: localArtifacts(join(directory, 'artifacts'), systemRandom),
    audit: fileAudit(join(directory, 'audit')),
  }
}

type Backup = SqliteStore['backup']

/** A store in memory has no backup, nor anything else that lasts. */
async function openStore(
  directory: string,
  clock: Clock,
  { readOnly = false }: OpenOptions,
): Promise<{ readonly store: RunStore; readonly backup?: Backup }> {
  if (directory === ':memory:') return { store: openMemoryStore({ clock }) }
  const store = await openSqliteStore({ path: join(directory, DATABASE), clock, readOnly })
  return { store, backup: (file) => store.backup(file) }
}

function givenStore(store: RunStore): { readonly store: RunStore; readonly backup: Backup } {
  const why = 'this store is backed up by its own server, with pg_dump or pg_basebackup'
  return { store, backup: async () => fail('BACKUP_ELSEWHERE', why) }
}

function lastingParts(
  directory: string,
  services: Services,
  advancer: RunAdvancer,
  backup: Backup,
  { receipts = false, keysDirectory }: OpenOptions,
): Pick<Parts, 'upkeep' | 'receipts'> {
  const book = receiptBookIn(directory, keysDirectory)
  const tell = typeof receipts === 'object' ? receipts.onProblem : warnOfProblem
  const issuer = receiptFollower(services, book, tell)
  const upkeep = new Upkeep({
    services,
    advancer,
    book,
    issuer,
    backup,
    shelf: (folder) => fileBundleShelf(resolve(folder ?? join(directory, 'archive')), systemRandom),
    receiptsIn: fileReceiptLines,
  })
  return receipts === false ? { upkeep } : { upkeep, receipts: startReceipts(issuer, tell) }
}

/** Proves a bundle file by itself: no store, no folder. */
export function verifyBundleFile(file: string, options: VerifyOptions = {}): Promise<BundleReport> {
  const demanded = demandedKey(options)
  return checkBundle(readLines(file), demanded === undefined ? {} : { demanded })
}

/** Step functions as they are called: inside the world of the engine, whoever runs the process around them, watched by the guard. */
function calledBy(
  world: ReturnType<typeof worldOf>,
  guard: ReturnType<typeof guardOf>,
  options: OpenOptions,
): Services['handlers'] {
  const { around = (inner) => inner } = options
  const given = around(options.handlers ?? world.around(handlersOf(options)))
  return guard?.around(given) ?? given
}
