/**
 * What a server does by the clock, for all tenants: a list of parts, each of which says whether it does its work. Every part is safe
 * in several processes at once, and none is needed for another.
 */
import type { Keelson } from '../keelson/keelson.ts'
import type { ClockworkPart } from './clockwork-part.ts'
import { openReconciler } from './reconciler.ts'
import { openSchedules } from './schedules.ts'
import { openWorkSweeper } from './work-sweeper.ts'

export interface Clockwork {
  readonly parts: readonly ClockworkPart[]
  /** Before Keelson is closed, which the parts work with. */
  close(): Promise<void>
}

/** In the order in which they are opened; they are closed the other way round. */
const OPENERS: readonly ((keelson: Keelson) => ClockworkPart)[] = [openReconciler, openSchedules, openWorkSweeper]

export function openClockwork(keelson: Keelson): Clockwork {
  const parts = OPENERS.map((open) => open(keelson))
  return {
    parts,
    close: async () => {
      for (const part of parts.toReversed()) await part.close()
    },
  }
}
