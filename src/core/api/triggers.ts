/** Routes of triggers: make, change, try and remove them, look at their deliveries, and deliver. */
import { anything, flag, list, object, oneOf, optional, text } from '../schema/shape.ts'
import { route } from './contract.ts'
import { answer, cursor, executionId, instant, pageSize } from './words.ts'

/** A name; where something is delivered, the address. */
export const trigger = text({ pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$' })
const name = text({ pattern: '^[A-Za-z0-9_.-]{1,128}$' })
const params = object({ trigger })

const DEFINITION = {
  planId: name,
  planVersion: optional(name),
  scheme: oneOf('standard-webhooks', 'github', 'stripe'),
  input: optional(anything()),
} as const
const SECRETS = { secret: optional(text({ min: 16, max: 1_024 })), secretRef: optional(text({ max: 512 })) } as const

const SHOWN = {
  trigger: text(),
  ...DEFINITION,
  deliverTo: text(),
  secretRef: optional(text()),
  createdAt: instant,
  createdBy: text(),
  updatedAt: instant,
  updatedBy: text(),
} as const
const triggerShape = answer(SHOWN)

export const listTriggers = route({
  id: 'listTriggers',
  method: 'GET',
  path: '/v1/triggers',
  tag: 'triggers',
  about: 'Triggers by their names, without their secrets.',
  access: 'RUN_READ_STATUS',
  query: object({ limit: optional(pageSize), cursor: optional(cursor) }),
  answers: {
    200: { about: 'A page of triggers.', body: answer({ triggers: list(triggerShape), next: optional(text()) }) },
  },
})

export const createTrigger = route({
  id: 'createTrigger',
  method: 'POST',
  path: '/v1/triggers',
  tag: 'triggers',
  about:
    'Makes a trigger: signed deliveries to its address start a plan. Without `secret` and `secretRef` the server makes a secret and shows it in this answer alone.',
  access: 'RBAC_ROLE_ASSIGN',
  body: object({ trigger, ...DEFINITION, ...SECRETS }),
  answers: {
    201: {
      about: 'The trigger, with the address to deliver to.',
      body: answer({ ...SHOWN, secret: optional(text()) }),
    },
  },
})

export const getTrigger = route({
  id: 'getTrigger',
  method: 'GET',
  path: '/v1/triggers/{trigger}',
  tag: 'triggers',
  about: 'A trigger by its name.',
  access: 'RUN_READ_STATUS',
  params,
  answers: { 200: { about: 'The trigger.', body: triggerShape } },
})

export const updateTrigger = route({
  id: 'updateTrigger',
  method: 'PUT',
  path: '/v1/triggers/{trigger}',
  tag: 'triggers',
  about: 'Says anew what a trigger starts and how. Its address stays, and its secret unless one is given.',
  access: 'RBAC_ROLE_ASSIGN',
  params,
  body: object({ ...DEFINITION, ...SECRETS }),
  answers: { 200: { about: 'The trigger.', body: triggerShape } },
})

export const deleteTrigger = route({
  id: 'deleteTrigger',
  method: 'DELETE',
  path: '/v1/triggers/{trigger}',
  tag: 'triggers',
  about: 'Removes a trigger, its address and its list of deliveries. Runs that it started go on.',
  access: 'RBAC_ROLE_ASSIGN',
  params,
  answers: { 200: { about: 'It is gone.', body: answer({ trigger: text(), deleted: flag() }) } },
})

export const testTrigger = route({
  id: 'testTrigger',
  method: 'POST',
  path: '/v1/triggers/{trigger}/test',
  tag: 'triggers',
  about: 'Shows the input that a delivery with this body would give. Starts nothing.',
  access: 'RUN_START',
  params,
  body: object({ body: anything(), event: optional(text({ max: 255 })), deliveryId: optional(text({ max: 255 })) }),
  answers: { 200: { about: 'The input.', body: answer({ input: anything() }) } },
})

export const listDeliveries = route({
  id: 'listDeliveries',
  method: 'GET',
  path: '/v1/triggers/{trigger}/deliveries',
  tag: 'triggers',
  about: 'The newest deliveries of a trigger: what each started, or why it was refused.',
  access: 'RUN_READ_STATUS',
  params,
  query: object({ limit: optional(pageSize) }),
  answers: {
    200: {
      about: 'Deliveries, newest first.',
      body: answer({
        deliveries: list(
          answer({
            at: instant,
            outcome: oneOf('started', 'repeated', 'refused'),
            deliveryId: optional(text()),
            executionId: optional(executionId),
            code: optional(text()),
            reason: optional(text()),
          }),
        ),
      }),
    },
  },
})

export const deliver = route({
  id: 'deliver',
  method: 'POST',
  path: '/v1/triggers/{trigger}',
  tag: 'triggers',
  about:
    'Takes a delivery at the address of a trigger, signed by its sender. The same delivery starts one run. An unknown address and a wrong signature are answered alike.',
  access: 'signature',
  params,
  body: anything(),
  answers: {
    200: { about: 'It had come before.', body: answer({ executionId, existed: flag() }) },
    202: { about: 'A run was started.', body: answer({ executionId, existed: flag() }) },
  },
})
