/** Routes of what limits starts, and of what runs share. */
import { LIMITS } from '../limits.ts'
import { integer, list, object, oneOf, optional, text, type Shape } from '../schema/shape.ts'
import { route } from './contract.ts'
import { answer, executionId } from './words.ts'

const count = integer({ min: 1, max: LIMITS.limitUnits })
const number: Shape<number> = { schema: { type: 'number' } }
const whenFull = oneOf('REJECT', 'QUEUE', 'DELAY', 'REPLACE_OLDEST')

const limitShape = answer({
  name: text(),
  maxRunning: optional(integer()),
  ratePerMinute: optional(integer()),
  maxConcurrentSteps: optional(integer()),
  whenFull: text(),
  priority: number,
  setBy: text(),
  setAt: text(),
})

const limitParams = object({ limitName: text({ min: 1, max: LIMITS.nameBytes }) })

export const listLimits = route({
  id: 'listLimits',
  method: 'GET',
  path: '/v1/limits',
  tag: 'limits',
  about: 'The limits for starts of the tenant, with who set them and when.',
  access: 'TENANT_READ',
  answers: { 200: { about: 'The limits, by name.', body: answer({ limits: list(limitShape) }) } },
})

export const setLimit = route({
  id: 'setLimit',
  method: 'PUT',
  path: '/v1/limits/{limitName}',
  tag: 'limits',
  about:
    'Sets a limit: `tenant`, `plan:<planId>`, or `key:<planId>` for each value of the `concurrencyKey` of a plan. It holds at once.',
  access: 'RBAC_ROLE_ASSIGN',
  params: limitParams,
  body: object({
    maxRunning: optional(count),
    ratePerMinute: optional(count),
    maxConcurrentSteps: optional(integer({ min: 1, max: LIMITS.concurrencyMax })),
    whenFull: optional(whenFull),
    priority: optional(number),
  }),
  answers: { 200: { about: 'The limit as it holds now.', body: limitShape } },
})

export const removeLimit = route({
  id: 'removeLimit',
  method: 'DELETE',
  path: '/v1/limits/{limitName}',
  tag: 'limits',
  about: 'Takes a limit away: what waits for it starts.',
  access: 'RBAC_ROLE_ASSIGN',
  params: limitParams,
  answers: { 200: { about: 'It is gone.', body: answer({ name: text(), removed: oneOf('yes') }) } },
})

const user = { executionId, slot: text(), amount: integer() }

export const listResources = route({
  id: 'listResources',
  method: 'GET',
  path: '/v1/resources',
  tag: 'limits',
  about:
    'What runs share: agents, resources, quotas and limits, with the runs of the tenant that hold them or wait. Of the values of a concurrency key: those in use.',
  access: 'RUN_READ_STATUS',
  answers: {
    200: {
      about: 'The pools, by name.',
      body: answer({
        resources: list(
          answer({
            pool: text(),
            capacity: integer(),
            used: integer(),
            waiting: integer(),
            windowMs: optional(integer()),
            openUntil: optional(text()),
            holders: list(answer({ ...user, since: optional(text()) })),
            waiters: list(answer({ ...user, since: text() })),
          }),
        ),
      }),
    },
  },
})
