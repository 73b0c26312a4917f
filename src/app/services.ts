/** What every use case is given: the outside world as ports. */
import type { ArtifactStore } from '../ports/artifacts.ts'
import type { AuditTrail } from '../ports/audit.ts'
import type { Clock } from '../ports/clock.ts'
import type { Random } from '../ports/random.ts'
import type { RunStore } from '../ports/run-store.ts'
import type { SecretsProvider } from '../ports/secrets.ts'
import type { StepHandlers } from '../ports/step-handlers.ts'
import type { Timers } from '../ports/timers.ts'
import type { FailOpen } from './commit-fail-open.ts'
import type { Redactor } from './redact.ts'

export interface Services {
  readonly store: RunStore
  readonly clock: Clock
  readonly random: Random
  readonly timers: Timers
  readonly handlers: StepHandlers
  /** How long one write of events may take; default 3,000 ms. */
  readonly writeLatencyBudgetMs?: number
  /** Present where a step may begin before the store has taken its StepStarted; default absent (LAT-02). */
  readonly failOpen?: FailOpen
  /** Absent where steps may use none; the two go together. */
  readonly secrets?: SecretsProvider
  readonly redactor?: Redactor
  readonly artifacts?: ArtifactStore
  /** Where refusals are kept that no log may hold; absent where nothing is kept. */
  readonly audit?: AuditTrail
  /** There is no key that tokens could be signed with: plans with manual steps are not admitted (P-35). */
  readonly refusesManual?: true
}
