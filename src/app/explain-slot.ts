/** `why` with what the log does not hold: the slot's place in the queues of pools it wants (P-01, P-19). */
import { explain, type Cause, type GrantCause } from '../core/run/explain.ts'
import { innerStepSlot } from '../core/events/slot.ts'
import type { GrantWait, PoolState } from '../ports/grants.ts'
import type { RunStore } from '../ports/run-store.ts'
import type { LoadedRun } from './load-run.ts'
import { pauseReason } from './pause-reason.ts'
import { withRunIds } from './related-runs.ts'

export async function explainSlot(
  store: RunStore,
  run: LoadedRun,
  slot: string,
  now: number,
): Promise<readonly Cause[]> {
  const { graph } = run.plan
  const grants = graph.anyWants ? await grantCauses(store, run, slot) : []
  const explained = explain(graph, run.state, slot, now, { grants })
  const causes = withRunIds(explained, run.identity.runId, run.state, slot)
  const reason = run.state.status === 'PAUSED' ? await pauseReason(store, run.row.runKey) : undefined
  if (reason === undefined) return causes
  return causes.map((cause) => (cause.kind === 'run-paused' ? { ...cause, reason } : cause))
}

async function grantCauses(store: RunStore, run: LoadedRun, slot: string): Promise<readonly GrantCause[]> {
  const { waits } = await store.readGrants(run.row.runKey)
  // Of a fan-out the first item that waits speaks for all.
  const own =
    waits.find((wait) => wait.slot === slot) ?? waits.find((wait) => innerStepSlot(wait.slot)?.stepId === slot)
  if (own === undefined) return []
  const pools = new Map((await store.listPools()).map((pool) => [pool.pool, pool]))
  const all = Object.entries(own.wants).flatMap(([name, amount]) => {
    const pool = pools.get(name)
    return pool === undefined ? [] : [causeOf(own, pool, amount)]
  })
  // Where every pool has room it is not yet its turn in any of them.
  const short = all.filter(({ used, wants, capacity, openUntil }) => used + wants > capacity || openUntil !== undefined)
  return short.length === 0 ? all : short
}

function causeOf(wait: GrantWait, pool: PoolState, wants: number): GrantCause {
  return {
    kind: 'waiting-for-grant',
    slot: wait.slot,
    pool: pool.pool,
    wants,
    used: pool.used,
    capacity: pool.capacity,
    waiting: pool.waiting,
    since: wait.since,
    ...(pool.windowMs === undefined ? {} : { windowMs: pool.windowMs }),
    ...(pool.openUntil === undefined ? {} : { openUntil: pool.openUntil }),
  }
}
