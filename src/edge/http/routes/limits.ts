/** Limits for starts, and what runs share. */
import * as api from '../../../core/api/limits.ts'
import { isoFromMs } from '../../../core/time.ts'
import type { RunLimit } from '../../../ports/admission.ts'
import type { PoolUser } from '../../../ports/grants.ts'
import type { SharedPool } from '../../../library/act/shared-pools.ts'
import { bind, type BoundRoute } from '../serve/bound-route.ts'

export const LIMIT_ROUTES: readonly BoundRoute[] = [
  bind(api.listLimits, async ({ keelson }) => ({ body: { limits: (await keelson.limits.list()).map(shownLimit) } })),
  bind(api.setLimit, async ({ keelson, params, body }) => ({
    body: shownLimit(await keelson.limits.set({ ...body, name: params.limitName })),
  })),
  bind(api.removeLimit, async ({ keelson, params }) => {
    await keelson.limits.remove(params.limitName)
    return { body: { name: params.limitName, removed: 'yes' } }
  }),
  bind(api.listResources, async ({ keelson }) => ({
    body: { resources: (await keelson.limits.pools()).map(shownPool) },
  })),
]

function shownLimit({ tenantId: _own, setAt, ...limit }: RunLimit): object {
  return { ...limit, setAt: isoFromMs(setAt) }
}

function shownPool({ breaker: _breaker, openUntil, holders, waiters, ...pool }: SharedPool): object {
  return {
    ...pool,
    ...(openUntil === undefined ? {} : { openUntil: isoFromMs(openUntil) }),
    holders: holders.map((holder) => ({ ...shownUser(holder), ...sinceOf(holder) })),
    waiters: waiters.map((waiter) => ({ ...shownUser(waiter), ...sinceOf(waiter) })),
  }
}

function sinceOf({ since }: { readonly since?: number }): object {
  return since === undefined ? {} : { since: isoFromMs(since) }
}

function shownUser({ runId, slot, amount }: PoolUser): object {
  return { executionId: runId, slot, amount }
}
