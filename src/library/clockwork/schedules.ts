/** Schedules of all tenants, started in their time while this process lives. */
import { ScheduleClockwork } from '../../app/schedules/clockwork.ts'
import { KeelsonError } from '../../core/problems/problem.ts'
import type { Keelson } from '../keelson/keelson.ts'
import { partsOf } from '../services-of.ts'
import type { ClockworkPart } from './clockwork-part.ts'
import { runStarter } from './run-starter.ts'

/** Of each open Keelson, so that a change in this process is seen at once. */
const OPEN = new WeakMap<object, ScheduleClockwork>()

export function openSchedules(keelson: Keelson): ClockworkPart {
  const { store, clock, timers } = partsOf(keelson).services
  let trouble: string | undefined
  const clockwork = new ScheduleClockwork({
    store,
    clock,
    timers,
    runs: runStarter(keelson),
    tell: (thrown) => {
      trouble = thrown instanceof KeelsonError ? thrown.code : 'INTERNAL'
    },
  })
  OPEN.set(store, clockwork)
  return {
    name: 'schedules',
    working: () => clockwork.working(),
    why: () => trouble,
    close: async () => {
      OPEN.delete(store)
      await clockwork.close()
    },
  }
}

/** A schedule was changed by this process. */
export function wakeSchedules(keelson: Keelson): void {
  OPEN.get(partsOf(keelson).services.store)?.wake()
}
