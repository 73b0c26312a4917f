/** What every use case is given: the outside world as ports. */
import type { ArtifactStore } from '../ports/artifacts.ts'
import type { Clock } from '../ports/clock.ts'
import type { Random } from '../ports/random.ts'
import type { RunStore } from '../ports/run-store.ts'
import type { SecretsProvider } from '../ports/secrets.ts'
import type { StepHandlers } from '../ports/step-handlers.ts'
import type { Timers } from '../ports/timers.ts'
import type { Redactor } from './redact.ts'

export interface Services {
  readonly store: RunStore
  readonly clock: Clock
  readonly random: Random
  readonly timers: Timers
  readonly handlers: StepHandlers
  /** How long one write of events may take; default 3,000 ms. */
  readonly writeLatencyBudgetMs?: number
  /** Absent where steps may use none; the two go together. */
  readonly secrets?: SecretsProvider
  readonly redactor?: Redactor
  readonly artifacts?: ArtifactStore
}
