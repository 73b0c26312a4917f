/**
 * Stored answers that no longer count for their idempotency key are removed every 60 s (IDC-04). The timer keeps no process alive, and
 * stops with the server.
 */
import { LIMITS } from '../../../core/limits.ts'
import type { IdempotencyStore } from '../../../ports/idempotency.ts'
import type { World } from './world.ts'

/** Does the work again and again; the returned function ends that. */
export type Every = (ms: number, work: () => void) => () => void

export const everyWhileAlive: Every = (ms, work) => {
  const timer = setInterval(work, ms).unref()
  return () => clearInterval(timer)
}

export interface RequestSweep extends Pick<World, 'now' | 'tell'> {
  readonly store: Pick<IdempotencyStore, 'sweepRequests'>
  readonly every?: Every | undefined
}

export function sweepRequests({ store, now, tell, every = everyWhileAlive }: RequestSweep): () => void {
  return every(LIMITS.idempotencySweepMs, () => {
    const swept = store.sweepRequests(now() - LIMITS.idempotencyMs)
    swept.catch((thrown: unknown) => tell(thrown, 'sweep of idempotency keys'))
  })
}
