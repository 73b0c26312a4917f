/** What every use case is given: the outside world as ports. */
import type { Clock } from '../ports/clock.ts'
import type { Random } from '../ports/random.ts'
import type { RunStore } from '../ports/run-store.ts'
import type { StepHandlers } from '../ports/step-handlers.ts'
import type { Timers } from '../ports/timers.ts'

export interface Services {
  readonly store: RunStore
  readonly clock: Clock
  readonly random: Random
  readonly timers: Timers
  readonly handlers: StepHandlers
}
