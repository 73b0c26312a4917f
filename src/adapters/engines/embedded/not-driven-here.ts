/** Runs of the store that this engine does not take up by itself. */
import { engineTypeOf, isOutside } from '../../../core/engine/engine-type.ts'
import type { RunRow } from '../../../ports/run-store.ts'

/** It was admitted, and starts only when somebody starts it. */
export function isQueued({ status, nextWakeAt }: RunRow): boolean {
  return (status === 'PENDING' || status === 'APPROVED') && nextWakeAt === undefined
}

/** The workers of another engine drive it; a lease gives no right to it. */
export function isElsewhere(row: RunRow | undefined): boolean {
  return row !== undefined && isOutside(engineTypeOf(row.engineType))
}
