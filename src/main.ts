/**
 * The front door of the library: ties stores, engine and use cases together. `openKeelson` gives a process the embedded
 * engine on a SQLite file under `.keelson/` (or in memory), with nothing else to install or start.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { EMBEDDED } from './adapters/engines/embedded/capabilities.ts'
import { EmbeddedEngine } from './adapters/engines/embedded/engine.ts'
import { functionHandlers, type StepFunctions } from './adapters/handlers/functions.ts'
import { fileSigningKeys } from './adapters/keys/file-keys.ts'
import { openMemoryStore } from './adapters/stores/memory/store.ts'
import { openSqliteStore } from './adapters/stores/sqlite/store.ts'
import { systemClock } from './adapters/system/clock.ts'
import { isOwnerGone, processOwner } from './adapters/system/process-owner.ts'
import { systemRandom } from './adapters/system/random.ts'
import { systemTimers } from './adapters/system/timers.ts'
import { RunAdvancer } from './app/advance-run.ts'
import { compilePlan, type CompiledPlan } from './app/compile-plan.ts'
import { missingHandlers } from './app/missing-handlers.ts'
import { createRunDriver } from './app/run-driver.ts'
import type { Services } from './app/services.ts'
import { KeelsonError, type Problem } from './core/problems/problem.ts'
import type { AdvanceReport } from './ports/engine.ts'
import type { RunKey, RunStore } from './ports/run-store.ts'
import { Keelson } from './edge/library/keelson.ts'

export { Keelson } from './edge/library/keelson.ts'
export { RunHandle, type RunResult } from './edge/library/run-handle.ts'
export { KeelsonError, type Problem } from './core/problems/problem.ts'
export type { StepContext, StepFunction } from './ports/step-handlers.ts'
export type { StepFunctions } from './adapters/handlers/functions.ts'
export type { RunEventRecord, RunEventWrite } from './core/events/event.ts'

export interface OpenOptions {
  /** Step functions by name: what `run:` in a plan calls. */
  readonly steps?: StepFunctions
  /** Where state lives; default `.keelson` in the current folder. `:memory:` keeps nothing. */
  readonly directory?: string
  /** Adopt runs of this store that have no living driver. Default true. */
  readonly adopt?: boolean
  readonly leaseMs?: number
  readonly pollMs?: number
  readonly onProgress?: (runKey: RunKey, report: AdvanceReport) => void
}

/** Opens the store and starts the embedded engine. Close it (or use `await using`) to give the runs back. */
export async function openKeelson(options: OpenOptions = {}): Promise<Keelson> {
  const directory = options.directory ?? '.keelson'
  const store = await openStore(directory)
  const handlers = functionHandlers(options.steps ?? {})
  const services: Services = { store, clock: systemClock, random: systemRandom, timers: systemTimers, handlers }
  const advancer = new RunAdvancer(services)
  const driver = createRunDriver(services, advancer, {
    lease: () => engine.lease(),
    onChild: (row, report) => {
      if (report !== undefined) engine.drive(row.runKey, report)
      else void engine.want(row.runKey)
    },
  })
  const engine: EmbeddedEngine = new EmbeddedEngine({
    store,
    driver,
    clock: systemClock,
    timers: systemTimers,
    owner: processOwner(systemRandom),
    isOwnerGone,
    adoptOthers: options.adopt ?? true,
    ...(options.leaseMs === undefined ? {} : { leaseMs: options.leaseMs }),
    ...(options.pollMs === undefined ? {} : { pollMs: options.pollMs }),
    ...(options.onProgress === undefined ? {} : { onProgress: options.onProgress }),
    canDrive: async (row) => {
      const { plan } = await advancer.plans.get(row.planSha256)
      return missingHandlers(plan, handlers).length === 0
    },
  })
  const keys = fileSigningKeys(join(directory, 'keys'), systemRandom)
  return new Keelson({ services, advancer, engine, keys, engineType: EMBEDDED })
}

async function openStore(directory: string): Promise<RunStore> {
  if (directory === ':memory:') return openMemoryStore({ clock: systemClock })
  await mkdir(directory, { recursive: true })
  return openSqliteStore({ path: join(directory, 'keelson.db'), clock: systemClock })
}

/** Compiles plan text (YAML or JSON); throws a KeelsonError with every problem found. */
export function loadPlan(text: string, file?: string): CompiledPlan {
  const compiled = compilePlan(text, file === undefined ? {} : { file })
  if (compiled.ok) return compiled.value
  const [first, ...rest] = compiled.problems
  throw new KeelsonError([first as Problem, ...rest])
}
