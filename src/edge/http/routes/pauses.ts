/** Pauses of a whole plan or tenant. */
import * as api from '../../../core/api/pauses.ts'
import { isoFromMs } from '../../../core/time.ts'
import type { ScopePause } from '../../../ports/scope-pauses.ts'
import { bind, type BoundRoute } from '../serve/bound-route.ts'

export const PAUSES: readonly BoundRoute[] = [
  bind(api.listPauses, async ({ keelson }) => ({ body: { pauses: (await keelson.pauses.list()).map(shownPause) } })),
  bind(api.setPause, async ({ keelson, params, body }) => ({
    body: shownPause(await keelson.pauses.set(params.pauseScope, body)),
  })),
  bind(api.liftPause, async ({ keelson, params: { pauseScope: scope } }) => {
    await keelson.pauses.lift(scope)
    return { body: { scope, lifted: 'yes' } }
  }),
]

function shownPause({ scope, reason, setBy, setAt, since }: ScopePause): object {
  return {
    scope,
    ...(reason === undefined ? {} : { reason }),
    ...(setBy === undefined ? {} : { setBy }),
    ...(setAt === undefined ? {} : { setAt: isoFromMs(setAt) }),
    ...(since === undefined ? {} : { since: isoFromMs(since) }),
  }
}
