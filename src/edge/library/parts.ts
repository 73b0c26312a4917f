/** What the library's front door is made of; `main.ts` alone puts it together. */
import type { RunAdvancer } from '../../app/advance-run.ts'
import type { Services } from '../../app/services.ts'
import type { Principal } from '../../app/principal.ts'
import type { EngineCapabilities, EngineHost } from '../../ports/engine.ts'
import type { SigningKeys } from '../../ports/signing-keys.ts'
import type { Hooks } from './hooks.ts'
import type { ReceiptService } from './receipt-service.ts'
import type { Upkeep } from './upkeep.ts'

export interface Parts {
  readonly services: Services
  readonly advancer: RunAdvancer
  readonly engine: EngineHost
  readonly keys: SigningKeys
  readonly engineType: EngineCapabilities
  readonly principal?: Principal
  readonly hooks: Hooks
  /** Absent where nothing is kept. */
  readonly upkeep?: Upkeep
  /** Issues receipts while this process lives. */
  readonly receipts?: ReceiptService
}
