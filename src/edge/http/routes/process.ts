/** The process itself: alive, ready, and whom it takes the caller for. */
import { actionsOf } from '../../../app/identity/caller.ts'
import * as api from '../../../core/api/process.ts'
import { isoFromMs } from '../../../core/time.ts'
import { bind, type BoundRoute } from '../serve/bound-route.ts'
import { readiness } from '../serve/readiness.ts'

export const PROCESS: readonly BoundRoute[] = [
  bind(api.getHealth, () => ({ body: { status: 'ok' } })),
  bind(api.getReadiness, async ({ world }) => {
    const duties = await readiness(world.keelson, world.stopping.aborted, world.undertaken)
    const isReady = Object.values(duties).every(({ ok }) => ok)
    return { status: isReady ? 200 : 503, body: { status: isReady ? 'ready' : 'not ready', duties } }
  }),
  bind(api.getMetrics, ({ world }) => ({
    text: { type: 'text/plain; version=0.0.4', chunks: onePiece(world.metrics.text()) },
  })),
  bind(api.whoAmI, ({ caller, world }) => {
    const { tenantId, actorId, kind, roles, displayName, session } = caller
    const shown = {
      ...(displayName === undefined ? {} : { displayName }),
      ...(session === undefined ? {} : { sessionEndsAt: isoFromMs(session.endsAt) }),
      ...(world.dev ? { dev: true } : {}),
    }
    return { body: { tenantId, actorId, kind, roles, actions: actionsOf(caller), ...shown } }
  }),
]

async function* onePiece(text: string): AsyncGenerator<string, void> {
  yield text
}
