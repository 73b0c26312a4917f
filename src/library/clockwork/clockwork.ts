/**
 * What a server does by the clock, for all tenants: a list of parts, each of which says whether it does its work. Every part is safe
 * in several processes at once, and none is needed for another.
 */
import { roleRules } from '../../app/identity/role-rules.ts'
import type { Keelson } from '../keelson/keelson.ts'
import { partsOf } from '../services-of.ts'
import type { ClockworkPart, ClockworkWorld } from './clockwork-part.ts'
import { openFleet } from './fleet.ts'
import { openReconciler } from './reconciler.ts'
import { openSchedules } from './schedules.ts'
import { openWorkSweeper } from './work-sweeper.ts'

export interface Clockwork {
  readonly parts: readonly ClockworkPart[]
  /** Before Keelson is closed, which the parts work with. */
  close(): Promise<void>
}

/** In the order in which they are opened; they are closed the other way round. */
const OPENERS: readonly ((keelson: Keelson, world: ClockworkWorld) => ClockworkPart)[] = [
  openReconciler,
  openSchedules,
  openFleet,
  openWorkSweeper,
]

/** `given`: what is not the default, which is the table of roles. */
export function openClockwork(keelson: Keelson, given: Partial<ClockworkWorld> = {}): Clockwork {
  const world = { authorizer: roleRules(partsOf(keelson).services.random), ...given }
  const parts = OPENERS.map((open) => open(keelson, world))
  return {
    parts,
    close: async () => {
      for (const part of parts.toReversed()) await part.close()
    },
  }
}
