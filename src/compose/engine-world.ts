/**
 * The clock, the timers and the settings of the engine that a program opens: the machine's own for `embedded`, a
 * simulated clock for `mock`, under which hours of waiting take no time (ADP-03, X-47).
 */
import { EMBEDDED } from '../adapters/engines/embedded/capabilities.ts'
import { EmbeddedEngine } from '../adapters/engines/embedded/engine.ts'
import type { EmbeddedEngineOptions } from '../adapters/engines/embedded/engine-options.ts'
import { MOCK } from '../adapters/engines/mock/capabilities.ts'
import { SimulatedTime } from '../adapters/engines/mock/simulated-time.ts'
import { systemClock } from '../adapters/system/clock.ts'
import { systemRandom } from '../adapters/system/random.ts'
import { systemTimers } from '../adapters/system/timers.ts'
import { Engines, type OpenEngine } from '../app/engines/engines.ts'
import type { Services } from '../app/services.ts'
import type { EngineCapabilities, EngineFactory, EngineHost, EngineParts } from '../ports/engine.ts'
import type { StepHandlers } from '../ports/step-handlers.ts'

/** `mock` begins at this instant; a SimulatedTime of your own can also be held. */
export type EngineChoice = 'embedded' | 'mock' | SimulatedTime | EngineFactory

export interface EngineWorld {
  readonly services: Pick<Services, 'clock' | 'timers' | 'random'>
  readonly capabilities: EngineCapabilities
  readonly open: (parts: EngineOpening) => EngineHost
  readonly around: (handlers: StepHandlers) => StepHandlers
}

export type EngineOpening = EmbeddedEngineOptions & Omit<EngineParts, 'onReport'>

/** A further engine that runs can be moved to. */
export type OtherEngine = 'embedded' | EngineFactory

export function openEngines(
  world: EngineWorld,
  { engines = [], drives = true }: { readonly engines?: readonly OtherEngine[]; readonly drives?: boolean },
  parts: EngineOpening,
): Engines {
  const opened = ({ capabilities, open }: EngineWorld): OpenEngine => ({ capabilities, host: open(parts) })
  return new Engines(parts.store, opened(world), engines.map(worldOf).map(opened), drives)
}

const TEN_YEARS_MS = 10 * 365 * 24 * 3_600_000

export function worldOf(engine: EngineChoice = 'embedded'): EngineWorld {
  const services = { clock: systemClock, timers: systemTimers, random: systemRandom }
  const around = (handlers: StepHandlers): StepHandlers => handlers
  if (engine === 'embedded')
    return { services, capabilities: EMBEDDED, open: (parts) => new EmbeddedEngine(parts), around }
  if (typeof engine === 'object' && 'open' in engine) {
    const open = (parts: EngineOpening): EngineHost =>
      engine.open({ ...parts, onReport: (runKey, report) => parts.onProgress?.(runKey, report) })
    return { services, capabilities: engine.capabilities, open, around }
  }
  const time = engine === 'mock' ? new SimulatedTime(systemClock.now()) : engine
  return {
    services: { clock: time, timers: time, random: systemRandom },
    capabilities: MOCK,
    // Under this clock a lease means nothing to other processes, and polling by it would never end: a wake-up replaces
    // it.
    open: (parts) =>
      new EmbeddedEngine({
        ...parts,
        adoptOthers: false,
        leaseMs: TEN_YEARS_MS,
        pollMs: Infinity,
        onWake: (bell) => time.onQuiet(bell),
      }),
    around: (handlers) => time.inRealTime(handlers),
  }
}
