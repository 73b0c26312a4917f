/**
 * What becomes of a start for which a limit has no room (BPQ-01): it is refused and leaves nothing behind, it waits in the queue, it
 * starts later, or the oldest runs make room for it.
 */
import { limitOfPool } from '../../core/plan/compile/limit-pools.ts'
import { RUN_SLOT } from '../../core/events/slot.ts'
import { fail } from '../../core/problems/problem.ts'
import type { RunLimit } from '../../ports/admission.ts'
import type { GrantRefusal } from '../../ports/grants.ts'
import type { NewRun, RunKey } from '../../ports/run-store.ts'
import { RETRY_MS, type StartGate } from './start-limits.ts'
import { sentSignalId } from '../log/derived-uuid.ts'
import type { Services } from '../services.ts'
import { signalRun } from '../signals/signal-run.ts'

export interface LaterStart {
  readonly admission: { readonly policy: 'QUEUE' | 'DELAY'; readonly autoApprove: true; readonly notBefore?: number }
  /** It has a place in the queue at once; a delayed run takes one when its instant has come. */
  readonly isQueued: boolean
  readonly limit: RunLimit
  readonly pool: string
}

/** Throws where the start is refused. */
export function whenFull(
  gate: StartGate,
  refused: readonly GrantRefusal[],
  { now, canWait }: { readonly now: number; readonly canWait: boolean },
): LaterStart {
  const refusal = refused.find(({ slot }) => slot === RUN_SLOT)
  const limit = gate.limits.find(({ name }) => name === limitOfPool(refusal?.pool ?? ''))
  if (refusal === undefined || limit === undefined) return fail('STORE_UNAVAILABLE', 'the run could not be created')
  const retryAt = refusal.retryAt ?? now + RETRY_MS
  if (limit.whenFull === 'REJECT' || !canWait) return reject(limit, retryAt - now)
  const isQueued = limit.whenFull !== 'DELAY'
  const admission = isQueued
    ? ({ policy: 'QUEUE', autoApprove: true } as const)
    : ({ policy: 'DELAY', autoApprove: true, notBefore: retryAt } as const)
  return { admission, isQueued, limit, pool: refusal.pool }
}

function reject({ name, maxRunning, ratePerMinute }: RunLimit, afterMs: number): never {
  const most = [
    ...(maxRunning === undefined ? [] : [`${maxRunning} at once`]),
    ...(ratePerMinute === undefined ? [] : [`${ratePerMinute} in a minute`]),
  ]
  const retryAfterSeconds = Math.max(1, Math.ceil(afterMs / 1_000))
  return fail('RUN_LIMIT_REACHED', `the limit '${name}' allows ${most.join(', ')}`, {
    details: { limit: name, retryAfterSeconds },
  })
}

const LOOKED_AT = 1_000

/**
 * Asks the oldest runs of the pool to end, so many that the new one has room once they have. Those that wait in front of it make room
 * too. Returns whom to wake.
 */
export async function replaceOldest(
  services: Services,
  { limit, pool }: LaterStart,
  { tenantId, runId, triggeredBy = 'local' }: NewRun,
): Promise<readonly RunKey[]> {
  const { store } = services
  if (limit.whenFull !== 'REPLACE_OLDEST' || limit.maxRunning === undefined) return []
  const { holders, waiters } = await store.readPool(pool, LOOKED_AT)
  const before = [...holders, ...waiters].filter((user) => user.slot === RUN_SLOT && user.runId !== runId)
  const asked: RunKey[] = []
  for (const victim of before.slice(0, Math.max(0, before.length + 1 - limit.maxRunning))) {
    const row = await store.findRun({ tenantId, runId: victim.runId })
    if (row === undefined) continue
    const signalId = sentSignalId(victim.runId, 'replaced', 1)
    if ((await store.findDecision(tenantId, { runId: victim.runId, signalId })) !== undefined) continue
    const reason = `replaced by run ${runId}: the limit '${limit.name}' keeps the newest`
    const sender = { actorId: triggeredBy, actorRole: 'System', allowed: true }
    await signalRun(services, row, { signalId, signalType: 'CANCEL', payload: { reason } }, sender)
    asked.push(row.runKey)
  }
  return asked
}
