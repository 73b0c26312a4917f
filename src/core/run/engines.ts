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

/** Their runs are moved by the engine's own workers, never by whoever holds a lease. */
export const OUTSIDE_ENGINES: readonly EngineType[] = ['temporal', 'conductor']

export function isOutside(engineType: EngineType): boolean {
  return OUTSIDE_ENGINES.includes(engineType)
}
