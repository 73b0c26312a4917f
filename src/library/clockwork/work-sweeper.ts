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
  const { clock, timers } = services
  const work = async (): Promise<undefined> => void (await sweepWork(by))
  const repeated = new Repeated({ clock, timers, everyMs, leastMs: everyMs, work })
  return {
    name: 'work',
    working: () => repeated.trouble === undefined,
    why: () => repeated.trouble,
    close: () => repeated.close(),
  }
}
