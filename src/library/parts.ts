/** What the library's front door is made of; `main.ts` alone puts it together. */
import type { RunAdvancer } from '../app/advance/advance-run.ts'
import type { Engines } from '../app/engines/engines.ts'
import type { Services } from '../app/services.ts'
import type { StartRequest } from '../app/start/start-request.ts'
import type { Principal } from '../app/principal.ts'
import type { EngineCapabilities } from '../ports/engine.ts'
import type { PlanTransport } from '../ports/plan-transport.ts'
import type { SigningKeys } from '../ports/signing-keys.ts'
import type { AlertTeller } from './tell/alert-teller.ts'
import type { Listeners } from './tell/listeners.ts'
import type { Moves } from './tell/moves.ts'
import type { Projectors } from './tell/projectors.ts'
import type { ReceiptService } from './tell/receipt-service.ts'
import type { Maintenance } from './keelson/maintenance.ts'

/** Enough to read runs: no engine, no step functions. */
export interface ReadingParts {
  readonly services: Pick<Services, 'store' | 'clock'>
  readonly advancer: FoldedRuns
  readonly moves: Moves
  readonly keys: SigningKeys
  /** Whom this process acts for. */
  readonly principal: Principal
  readonly isOwnerGone: (owner: string) => boolean
}

/** Runs with the fold of their logs: those of the writer, or those of a reader (`app/loaded/read-runs.ts`). */
export type FoldedRuns = Pick<RunAdvancer, 'plans' | 'current' | 'forget'>

export interface Parts extends ReadingParts {
  readonly services: Services
  readonly advancer: RunAdvancer
  readonly engine: Engines
  /** The name this process has in leases. */
  readonly owner: string
  readonly capabilities: EngineCapabilities
  /** What the log says of where starts come from; default `manual`. */
  readonly triggerSource?: StartRequest['triggerSource']
  /** In development: a changed plan may keep its version. */
  readonly replaceVersion?: boolean
  /** Where plans of references may lie beside the store; none of it in production. */
  readonly planTransports?: readonly PlanTransport[]
  readonly listeners: Listeners
  readonly projectors: Projectors
  /** Undefined where nobody listens to alerts. */
  readonly alerts: AlertTeller | undefined
  /** Watches the event loop; undefined where nobody else waits for it. */
  readonly guard: { close(): void } | undefined
  /** False: it starts, steers and reads runs, and another process drives them. Default true. */
  readonly drives?: boolean
  /** Rings when some run may have something to do, also for what other processes wrote; it may be late or lost (P-22). */
  readonly onWake?: (listener: () => void) => () => void
  /** Absent where nothing is kept. */
  readonly maintenance?: Maintenance
  /** Issues receipts while this process lives. */
  readonly receipts?: ReceiptService
}
