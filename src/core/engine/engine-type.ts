/**
 * The engines of runs, and how much of one run each may have in flight: pinned in RunStarted and EngineHandoff, so that
 * a decision never depends on the process that makes it (P-20).
 */
import { LIMITS } from '../limits.ts'

export type EngineType = 'embedded' | 'temporal' | 'conductor' | 'mock'

export const MAX_IN_FLIGHT: Readonly<Record<EngineType, number>> = {
  embedded: LIMITS.concurrencyMax,
  mock: LIMITS.concurrencyMax,
  temporal: 500,
  conductor: 200,
}

/** From the name in a row; an unknown name means the default engine. */
export function engineTypeOf(name: string): EngineType {
  return Object.hasOwn(MAX_IN_FLIGHT, name) ? (name as EngineType) : 'embedded'
}

/** The engine's own workers drive these runs, never the holder of a lease. */
export const OUTSIDE_ENGINES: readonly EngineType[] = ['temporal', 'conductor']

export function isOutside(engineType: EngineType): boolean {
  return OUTSIDE_ENGINES.includes(engineType)
}

/**
 * In the row of a run whose log was imported: its decisions were made elsewhere, and nobody drives it here. It is no engine, so no
 * event names it.
 */
export const FOREIGN = 'foreign'

/** In rows of runs that no holder of a lease drives. */
export const WITHOUT_LEASE: readonly string[] = [...OUTSIDE_ENGINES, FOREIGN]

export function isForeign({ engineType }: { readonly engineType: string }): boolean {
  return engineType === FOREIGN
}
