/** Events from outside, for the steps that wait for them. */
import * as api from '../../../core/api/events.ts'
import { isoFromMs } from '../../../core/time.ts'
import { bind, type BoundRoute } from '../serve/bound-route.ts'

export const EVENTS: readonly BoundRoute[] = [
  bind(api.sendEvent, async ({ keelson, body }) => {
    const { expiresAt, ...sent } = await keelson.send(body)
    return { body: { ...sent, expiresAt: isoFromMs(expiresAt) }, target: body.name }
  }),
]
