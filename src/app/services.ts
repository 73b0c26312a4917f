/** What every use case receives: the outside world as ports. */
import type { ArtifactStore } from '../ports/artifacts.ts'
import type { AuditTrail } from '../ports/audit.ts'
import type { Clock } from '../ports/clock.ts'
import type { Random } from '../ports/random.ts'
import type { RunStore } from '../ports/run-store.ts'
import type { SecretsProvider } from '../ports/secrets.ts'
import type { StepHandlers } from '../ports/step-handlers.ts'
import type { Timers } from '../ports/timers.ts'
import type { StartLimits } from './admission/start-limits.ts'
import type { FailOpen } from './commit/fail-open.ts'
import type { LastWords } from './deaths/last-words.ts'
import type { RunRedactors } from './redact/run-redactors.ts'
import type { WorkDesk } from './work/work-desk.ts'

export interface Services {
  readonly store: RunStore
  readonly clock: Clock
  readonly random: Random
  readonly timers: Timers
  readonly handlers: StepHandlers
  /** How long one write of events may take; default 3,000 ms. */
  readonly writeLatencyBudgetMs?: number
  /** Told how many milliseconds each commit took; absent where nobody measures. */
  readonly onWritten?: (ms: number) => void
  /** Present where a step may begin before the store has its StepStarted; default absent (LAT-02). */
  readonly failOpen?: FailOpen
  /** Absent where steps may use no secrets; the two belong together. */
  readonly secrets?: SecretsProvider
  readonly redactors?: RunRedactors
  readonly artifacts?: ArtifactStore
  /** Limits for starts; absent where nothing limits them. */
  readonly limits?: StartLimits
  /** For refusals that no log may hold; absent where they are not kept. */
  readonly audit?: AuditTrail
  /** What this process does with runs whose drivers died; absent where it is not noted. */
  readonly lastWords?: LastWords
  /** Where it hears of remote workers; absent where steps are sent to none. */
  readonly desk?: WorkDesk
  /** There is no key to sign tokens with: plans with manual steps are not admitted (P-35). */
  readonly refusesManual?: true
}
