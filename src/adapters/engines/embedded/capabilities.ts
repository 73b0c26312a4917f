/** What the embedded engine can do. */
import type { EngineCapabilities } from '../../../ports/engine.ts'

export const EMBEDDED: EngineCapabilities = { engineType: 'embedded', maxInFlight: 10_000 }
