/** What the library's front door is made of; `main.ts` alone puts it together. */
import type { RunAdvancer } from '../../app/advance-run.ts'
import type { Engines } from '../../app/engines.ts'
import type { Services } from '../../app/services.ts'
import type { Principal } from '../../app/principal.ts'
import type { EngineCapabilities } from '../../ports/engine.ts'
import type { SigningKeys } from '../../ports/signing-keys.ts'
import type { Hooks } from './hooks.ts'
import type { Moves } from './moves.ts'
import type { ReceiptService } from './receipt-service.ts'
import type { Upkeep } from './upkeep.ts'

export interface Parts {
  readonly services: Services
  readonly advancer: RunAdvancer
  readonly engine: Engines
  /** The name this process has in leases. */
  readonly owner: string
  readonly isOwnerGone: (owner: string) => boolean
  readonly keys: SigningKeys
  readonly engineType: EngineCapabilities
  readonly principal?: Principal
  readonly hooks: Hooks
  readonly moves: Moves
  /** Watches the event loop; undefined where nobody else waits for it. */
  readonly guard: { close(): void } | undefined
  /** Absent where nothing is kept. */
  readonly upkeep?: Upkeep
  /** Issues receipts while this process lives. */
  readonly receipts?: ReceiptService
}
