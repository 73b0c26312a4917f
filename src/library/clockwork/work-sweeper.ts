/** Drops work of remote workers that is over, and workers that have been silent for long. */
import { sweepWork } from '../../app/workers/sweep-work.ts'
import { LIMITS } from '../../core/limits.ts'
import { workingFor } from '../behalf/work-for.ts'
import type { Keelson } from '../keelson/keelson.ts'
import { partsOf } from '../services-of.ts'
import type { ClockworkPart } from './clockwork-part.ts'
import { Repeated } from './repeated.ts'

export function openWorkSweeper(keelson: Keelson): ClockworkPart {
  const { services, principal } = partsOf(keelson)
  const everyMs = LIMITS.workSweepMs
  const by = workingFor(keelson, principal, false)
  const repeated = new Repeated({ timers: services.timers, everyMs, leastMs: everyMs, work: () => sweepWork(by) })
  return {
    name: 'work',
    working: () => repeated.trouble === undefined,
    why: () => repeated.trouble,
    close: () => repeated.close(),
  }
}
