/** `why` with what the log does not hold: the slot's place in the queues of the pools it wants (P-01, P-19). */
import { explain, type Cause, type GrantCause } from '../../core/run/explain/explain.ts'
import { locate } from '../../core/run/state/units.ts'
import { innerStepSlot } from '../../core/events/slot.ts'
import type { LimitCause } from '../../core/run/explain/not-started.ts'
import type { GrantWait, PoolState } from '../../ports/grants.ts'
import { WaitingPlaces } from '../admission/waiting-places.ts'
import { planPool } from '../grants/agent-pools.ts'
import { owedEventWaits } from '../loaded/event-waits.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import type { RunLook } from './look-once.ts'
import { RunNews } from './open-task-news.ts'
import { pauseReason } from './pause-reason.ts'
import { refusedPeople } from './refused-people.ts'
import { withRunIds } from './related-runs.ts'
import { workerCauses } from './worker-causes.ts'

export async function explainSlot(
  store: RunLook,
  run: LoadedRun,
  slot: string,
  now: number,
): Promise<readonly Cause[]> {
  const { graph } = run.plan
  const grants = graph.anyWants ? await grantCauses(store, run, slot) : []
  const unit = locate(run.state, slot)?.unit
  const workers = unit === undefined ? [] : await workerCauses(store, run, unit)
  const [first, ...others] = explain(graph, run.state, slot, now, { grants })
  const explained = first === undefined ? [] : [first, ...workers, ...others]
  const refusals = await refusedPeople(store, run.row.runKey, run.state)
  const isAsked = unit !== undefined && explained.some(({ kind }) => kind === 'waiting-for-person')
  const news = isAsked ? (await RunNews.read(store, run.row.runKey, run.state)).of(unit) : {}
  const key = explained.some(({ kind }) => kind === 'waiting-for-event') ? await eventKeyOf(store, run, slot) : ''
  const waits = explained.some(({ kind }) => kind === 'run-not-started')
  const limits = waits ? await new WaitingPlaces(store).of({ ...run.row, status: run.state.status }) : []
  const causes = withRunIds(explained, run.identity.runId, run.state, slot).map((told) => {
    if (told.kind === 'waiting-for-event') return { ...told, key }
    const cause = told.kind === 'waiting-for-person' ? { ...told, ...news } : withLimits(told, limits)
    const refused =
      cause.kind === 'waiting-for-person'
        ? refusals.completions.get(slot)
        : cause.kind === 'run-not-started'
          ? refusals.approvals
          : undefined
    return refused === undefined || refused.length === 0 ? cause : { ...cause, refused }
  })
  const reason = run.state.status === 'PAUSED' ? await pauseReason(store, run.row.runKey) : undefined
  if (reason === undefined) return causes
  return causes.map((cause) => (cause.kind === 'run-paused' ? { ...cause, reason } : cause))
}

function withLimits(cause: Cause, limits: readonly LimitCause[]): Cause {
  return cause.kind === 'run-not-started' && limits.length > 0 ? { ...cause, limits } : cause
}

async function eventKeyOf(store: RunLook, { row, state }: LoadedRun, slot: string): Promise<string> {
  const open = await owedEventWaits(store, row.runKey, state, slot)
  return open[0]?.key ?? ''
}

async function grantCauses(store: RunLook, run: LoadedRun, slot: string): Promise<readonly GrantCause[]> {
  const { waits } = await store.readGrants(run.row.runKey)
  // For a fan-out the first waiting item represents all.
  const own =
    waits.find((wait) => wait.slot === slot) ?? waits.find((wait) => innerStepSlot(wait.slot)?.stepId === slot)
  if (own === undefined) return []
  const pools = new Map((await store.listPools(Object.keys(own.wants))).map((pool) => [pool.pool, pool]))
  const all = Object.entries(own.wants).flatMap(([name, amount]) => {
    const pool = pools.get(name)
    return pool === undefined ? [] : [causeOf(own, pool, amount)]
  })
  // Where every pool has room, it is not yet the slot's turn in any of them.
  const short = all.filter(({ used, wants, capacity, openUntil }) => used + wants > capacity || openUntil !== undefined)
  return short.length === 0 ? all : short
}

function causeOf(wait: GrantWait, pool: PoolState, wants: number): GrantCause {
  return {
    kind: 'waiting-for-grant',
    slot: wait.slot,
    pool: planPool(pool.pool),
    wants,
    used: pool.used,
    capacity: pool.capacity,
    waiting: pool.waiting,
    since: wait.since,
    ...(pool.windowMs === undefined ? {} : { windowMs: pool.windowMs }),
    ...(pool.openUntil === undefined ? {} : { openUntil: pool.openUntil }),
  }
}
