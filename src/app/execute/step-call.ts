/** One effect to be carried out, with what its executor may use. */
import type { LoadedRun } from '../loaded/load-run.ts'
import type { Services } from '../services.ts'
import type { BeginClaims } from './begin-claim.ts'
import type { Executable } from './step-work.ts'

export interface StepCall {
  readonly services: Services
  readonly claims: BeginClaims
  readonly run: LoadedRun
  readonly effect: Executable
  readonly signal: AbortSignal
  /** The fold at the time of the call: mapping the input takes time, and outcomes may arrive in another way meanwhile. */
  readonly latest: () => Promise<LoadedRun>
  /** The work is in other hands: this process only waits for it. */
  readonly handedOver?: () => void
}
