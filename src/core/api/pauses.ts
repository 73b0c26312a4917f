/** Routes of what pauses a whole plan or tenant. */
import { LIMITS } from '../limits.ts'
import { list, object, oneOf, optional, text } from '../schema/shape.ts'
import { route } from './contract.ts'
import { answer, instant } from './words.ts'

const pauseShape = answer({
  scope: text(),
  reason: optional(text()),
  setBy: optional(text()),
  setAt: optional(instant),
  since: optional(instant),
})
const pauseParams = object({ pauseScope: text({ min: 1, max: LIMITS.nameBytes }) })

export const listPauses = route({
  id: 'listPauses',
  method: 'GET',
  path: '/v1/pauses',
  tag: 'pauses',
  about:
    'What pauses runs of the tenant as a whole: since when, who said so last and when, and why. A pause set by an earlier version tells only why.',
  access: 'RUN_READ_STATUS',
  answers: { 200: { about: 'The pauses that hold now.', body: answer({ pauses: list(pauseShape) }) } },
})

export const setPause = route({
  id: 'setPause',
  method: 'PUT',
  path: '/v1/pauses/{pauseScope}',
  tag: 'pauses',
  about: 'Pauses `tenant`, or `plan:<planId>`: runs at work pause at once, runs that start meanwhile start paused.',
  access: 'RUN_CANCEL',
  params: pauseParams,
  body: object({ reason: optional(text({ min: 1, max: LIMITS.signalReasonChars })) }),
  answers: { 200: { about: 'It holds.', body: pauseShape } },
})

export const liftPause = route({
  id: 'liftPause',
  method: 'DELETE',
  path: '/v1/pauses/{pauseScope}',
  tag: 'pauses',
  about: 'Lifts such a pause: runs that it paused go on, those that a person paused stay paused.',
  access: 'RUN_CANCEL',
  params: pauseParams,
  answers: { 200: { about: 'It is lifted.', body: answer({ scope: text(), lifted: oneOf('yes') }) } },
})
