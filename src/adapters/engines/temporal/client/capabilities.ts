/** What the Temporal engine can do: it never has more of one run in flight than a workflow should have pending. */
import { MAX_IN_FLIGHT } from '../../../../core/engine/engine-type.ts'
import type { EngineCapabilities } from '../../../../ports/engine.ts'

export const TEMPORAL: EngineCapabilities = { engineType: 'temporal', maxInFlight: MAX_IN_FLIGHT.temporal }
