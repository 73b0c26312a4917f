/**
 * The engines a run can be on, and how much of one run each may have in flight: pinned in RunStarted and EngineHandoff,
 * so that a decision never depends on who makes it (P-20).
 */
import { LIMITS } from '../limits.ts'

export type EngineType = 'embedded' | 'temporal' | 'conductor' | 'mock'

export const MAX_IN_FLIGHT: Readonly<Record<EngineType, number>> = {
  embedded: LIMITS.concurrencyMax,
  mock: LIMITS.concurrencyMax,
  temporal: 500,
  conductor: 200,
}

/** As a row names it; a name nobody knows is the default's. */
export function engineTypeOf(name: string): EngineType {
  return Object.hasOwn(MAX_IN_FLIGHT, name) ? (name as EngineType) : 'embedded'
}

/** Such a run is moved by its engine's workers, never by whoever holds a lease. */
export function isOutside(engineType: EngineType): boolean {
  return engineType === 'temporal' || engineType === 'conductor'
}
