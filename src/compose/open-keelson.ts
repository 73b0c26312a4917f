/**
 * Opens Keelson: connects stores, engine and use cases. By default it is the embedded engine on a SQLite file under
 * `.keelson/` (or in memory), with nothing else to install or start.
 */
import { join } from 'node:path'
import { localArtifacts } from '../adapters/artifacts/local.ts'
import { fileAudit } from '../adapters/files/audit-lines.ts'
import { planFiles } from '../adapters/files/plan-files.ts'
import { fileIntentBuffer } from '../adapters/files/intent-buffer.ts'
import { DEFAULT_LEASE_MS } from '../adapters/engines/embedded/engine-options.ts'
import { LoopGuard } from '../adapters/guard/loop-guard.ts'
import { signingKeysIn } from '../adapters/keys/signing-keys.ts'
import { firstOf } from '../adapters/secrets/chain.ts'
import { allowedVariables, envSecrets } from '../adapters/secrets/env.ts'
import { fileSecrets } from '../adapters/secrets/file.ts'
import { isOwnerAlive, isOwnerGone, processOwner } from '../adapters/system/process-owner.ts'
import { systemRandom } from '../adapters/system/random.ts'
import { keepHeapSmall } from '../adapters/system/small-heap.ts'
import { systemTimers } from '../adapters/system/timers.ts'
import { guardedFolder, keysFolderOf } from './guarded-folder.ts'
import { openEngines, worldOf } from './engine-world.ts'
import { StartLimits } from '../app/admission/start-limits.ts'
import { UnservedWork } from '../app/work/unserved-work.ts'
import { WorkDesk } from '../app/work/work-desk.ts'
import { RunAdvancer } from '../app/advance/advance-run.ts'
import { lateClasses } from '../app/commit/classes.ts'
import { FailOpen, type FailOpenParts } from '../app/commit/fail-open.ts'
import type { Engines } from '../app/engines/engines.ts'
import { LastWords } from '../app/deaths/last-words.ts'
import { LeftAlone } from '../app/engines/left-alone.ts'
import { LOCAL_PRINCIPAL, type Principal } from '../app/principal.ts'
import { ProcessWork } from '../app/deaths/process-work.ts'
import { createRunDriver } from '../app/engines/run-driver.ts'
import { RunRedactors } from '../app/redact/run-redactors.ts'
import type { Services } from '../app/services.ts'
import { poolDefinitions } from '../app/grants/pool-definitions.ts'
import { fail } from '../core/problems/problem.ts'
import type { EngineCapabilities } from '../ports/engine.ts'
import type { RunRow, RunStore } from '../ports/run-store.ts'
import type { Alert } from '../core/alerts/catalogue.ts'
import { Keelson } from '../library/keelson/keelson.ts'
import type { Parts } from '../library/parts.ts'
import { blockTeller, jumpTeller } from '../library/tell/process-notices.ts'
import { warnOfProblem } from '../library/tell/receipt-service.ts'
import { troubleTeller } from '../library/tell/store-trouble.ts'
import { followersOf, progressTeller } from './followers.ts'
import { givenStore, lastingParts, openStore } from './lasting-parts.ts'
import { calledBy } from './open-handlers.ts'
import { readOpening, type Opening } from './open-option-names.ts'
import type { OpenOptions } from './open-options.ts'

/** One for all Keelsons that are open in the process. */
const PROCESS_WORK = new ProcessWork()

/** Opens the store and starts the embedded engine. Close it (or use `await using`) to release the runs. */
export async function openKeelson(given: Opening = {}): Promise<Keelson> {
  const options = readOpening(given)
  if (options.smallHeap === true) keepHeapSmall(options.heapGrowsWhenBusy === true)
  const directory = guardedFolder(options)
  const principal = principalOf(options)
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
  const outside = { store, handlers, ...world.services, ...keptApart(directory, options), ...options.stateStore }
  const lastWords = new LastWords({ store, owner, process: PROCESS_WORK })
  const services: Services = {
    ...outside,
    limits: new StartLimits(store, world.services.clock),
    desk: deskOf(store, world.services, (alert) => followers.alerts?.alert(alert)),
    lastWords,
    ...(intents?.isOn === true ? { failOpen: intents } : {}),
    ...(keysFolder === undefined ? { refusesManual: true } : {}),
    ...(options.onWritten === undefined ? {} : { onWritten: options.onWritten }),
  }
  const advancer = new RunAdvancer(services)
  if (options.adopt !== false) await intents?.recover(advancer.queue)
  const driver = createRunDriver(services, advancer, {
    lease: (engineType) => engine.of(engineType)?.host.lease(),
    onChild: (row, report) => engine.take(row, report),
  })
  const followers = await followersOf(services, advancer, options, world.capabilities.engineType === 'mock')
  const leftAlone = new LeftAlone({ store, plans: advancer.plans, handlers, owner, lastWords })
  const engine: Engines = openEngines(world, options, {
    ...options,
    store,
    driver,
    ...world.services,
    owner,
    isOwnerGone,
    isOwnerAlive,
    scope: principal,
    tell: warnOfProblem,
    adoptOthers: options.drives !== false && (options.adopt ?? true),
    onProgress: progressTeller(options, followers, services),
    ...(options.store?.onWake === undefined ? {} : { onWake: options.store.onWake }),
    // First what its driver began without the store, as far as it still fits.
    canDrive: async (row, hold) =>
      isOwn(options, row) && (await services.failOpen?.recover(advancer.queue), leftAlone.mayDrive(row, hold)),
    onLost: (runKey, problem) => void leftAlone.lost(runKey, problem),
    onStoreTrouble: troubleTeller(options, (text) => services.redactors?.text(text) ?? text),
    onClockJump: jumpTeller(options),
  })
  const process = { owner, isOwnerGone, keys: signingKeysIn(keysFolder, systemRandom), ...followers, guard }
  const parts: Parts = { services, advancer, engine, principal, ...process, ...saidOf(world.capabilities, options) }
  if (backup === undefined) return new Keelson(parts)
  return new Keelson({ ...parts, ...lastingParts(directory, services, advancer, backup, options) })
}

/** Where work for remote workers is waited for; of what nobody asks for, people are told. */
function deskOf(
  store: RunStore,
  { clock, timers }: Pick<Services, 'clock' | 'timers'>,
  tell: (alert: Alert) => void,
): WorkDesk {
  const unserved = new UnservedWork(store, clock, tell)
  return new WorkDesk(store, timers, (waiting) => unserved.look(waiting))
}

function principalOf({ tenantId = LOCAL_PRINCIPAL.tenantId }: OpenOptions): Principal {
  if (tenantId === '') fail('USAGE', 'tenantId must not be empty')
  return { ...LOCAL_PRINCIPAL, tenantId }
}

/** A Keelson opened for one tenant has that tenant's functions and secrets: no other tenant may use them. */
function isOwn({ tenantId }: OpenOptions, row: RunRow): boolean {
  return tenantId === undefined || row.tenantId === tenantId
}

function saidOf(
  capabilities: EngineCapabilities,
  { replaceVersion = false, planFiles: folder, store, drives = true }: OpenOptions,
): OwnParts {
  const transports = folder === undefined ? [] : [planFiles(folder)]
  return {
    // Where another process drives, it has the functions of the steps.
    capabilities: drives ? capabilities : { ...capabilities, elsewhere: true },
    drives,
    replaceVersion,
    planTransports: transports,
    ...(store?.onWake === undefined ? {} : { onWake: store.onWake.bind(store) }),
  }
}

type OwnParts = Pick<Parts, 'capabilities' | 'drives' | 'replaceVersion' | 'planTransports' | 'onWake'>

/** Under a simulated clock no other process waits for this one. */
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

/** Intents are stored beside the database and not in it: they are for the time in which it does not answer (LAT-07). */
function intentsIn(directory: string, parts: Omit<FailOpenParts, 'buffer' | 'timers' | 'tell'>): FailOpen {
  const buffer = fileIntentBuffer(join(directory, 'intents'), systemRandom.uuid())
  return new FailOpen({ ...parts, buffer, timers: systemTimers, tell: warnOfProblem })
}

/** What the log only refers to. A store in memory keeps no files. */
function keptApart(
  directory: string,
  options: OpenOptions,
): Pick<Services, 'secrets' | 'redactors' | 'artifacts' | 'audit'> {
  const { tenantId, environmentId } = principalOf(options)
  const { secrets: given } = options
  const env = envSecrets({ scope: { tenantId, environmentId }, variables: process.env, ...allowedVariables(options) })
  const redactors = new RunRedactors()
  if (directory === ':memory:') return { secrets: given ?? env, redactors }
  return {
    secrets: given ?? firstOf([fileSecrets(join(directory, 'secrets')), env]),
    redactors,
    artifacts: localArtifacts(join(directory, 'artifacts'), systemRandom),
    audit: fileAudit(join(directory, 'audit')),
  }
}
