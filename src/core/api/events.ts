/** Events from outside, for the steps that wait for them. */
import { LIMITS } from '../limits.ts'
import { anything, integer, object, oneOf, optional, text } from '../schema/shape.ts'
import { route } from './contract.ts'
import { answer } from './words.ts'

export const sendEvent = route({
  id: 'sendEvent',
  method: 'POST',
  path: '/v1/events',
  tag: 'events',
  about:
    'Sends an event to the steps of the tenant that wait for its name and key (`wait: { forEvent }`), now or while it is kept. The same id counts once.',
  access: 'SIGNAL_SEND',
  body: object({
    name: text({ min: 1, max: LIMITS.nameBytes }),
    key: optional(text({ min: 1, max: LIMITS.nameBytes })),
    data: optional(anything()),
    id: optional(text({ min: 1, max: LIMITS.nameBytes })),
    ttlMs: optional(integer({ min: 1, max: LIMITS.eventTtlMsMax })),
  }),
  answers: {
    200: {
      about: 'It is kept; `waiting` runs had waited for it. `repeat`: it had been sent before.',
      body: answer({ kind: oneOf('sent', 'repeat'), id: text(), expiresAt: text(), waiting: integer() }),
    },
  },
})
