/** What the mock engine can do: all that the embedded one can, under a clock of its own (ADP-03). */
import type { EngineCapabilities } from '../../../ports/engine.ts'

export const MOCK: EngineCapabilities = { engineType: 'mock', maxInFlight: 10_000 }
