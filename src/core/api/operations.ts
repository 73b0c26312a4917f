/** Routes of what operators look after: alerts, engines, followers of the log and what they could not be given. */
import { DROP_REASONS } from '../feed/drop-reasons.ts'
import { LIMITS } from '../limits.ts'
import { flag, integer, list, object, oneOf, optional, record, text } from '../schema/shape.ts'
import { route } from './contract.ts'
import { answer, cursor, executionId, instant, pageSize, seq } from './words.ts'

const count = integer({ min: 0 })
const priority = oneOf('P1', 'P2', 'P3')

const alertShape = answer({
  alertId: text(),
  code: text(),
  priority,
  runId: text(),
  tenantId: optional(text()),
  eventId: optional(text()),
  eventType: optional(text()),
  runSeq: optional(integer()),
  persistedAt: optional(text()),
  priorState: optional(text()),
  attemptedState: optional(text()),
  detail: text(),
})

export const listAlerts = route({
  id: 'listAlerts',
  method: 'GET',
  path: '/v1/alerts',
  tag: 'operations',
  about:
    'Alerts about runs of the tenant, made of their logs: newest runs first, in the order of each log. Without `since` and `executionId`: of the last 24 hours. A page may be empty and still have a `next`.',
  access: 'RUN_READ_STATUS',
  query: object({
    executionId: optional(executionId),
    since: optional(instant),
    priority: optional(list(priority, { max: 3 })),
    code: optional(list(text({ min: 1, max: 64 }), { max: 16 })),
    limit: optional(pageSize),
    cursor: optional(cursor),
  }),
  answers: { 200: { about: 'A page.', body: answer({ alerts: list(alertShape), next: optional(text()) }) } },
})

export const listEngines = route({
  id: 'listEngines',
  method: 'GET',
  path: '/v1/engines',
  tag: 'operations',
  about:
    'The engines of this process: what each can do, whether it is ready, and how many runs of the tenant are in flight on it.',
  access: 'TENANT_READ',
  answers: {
    200: {
      about: 'The engine of new runs comes first.',
      body: answer({
        engines: list(
          answer({
            engine: text(),
            isStandard: flag(),
            drives: flag(),
            ready: flag(),
            why: optional(text()),
            capabilities: list(text()),
            maxInFlight: integer(),
            limits: optional(record(integer())),
            runsInFlight: count,
          }),
        ),
      }),
    },
  },
})

const FOR_OPERATORS = 'For whoever operates the server (role `server-operator`), because it spans tenants.'

export const listSubscribers = route({
  id: 'listSubscribers',
  method: 'GET',
  path: '/v1/feed/subscribers',
  tag: 'operations',
  about: `Who follows the logs of runs: how far each has come, how many runs and events it is behind on, and which wait after a failed delivery. Events are counted up to a number, then \`moreBehind\` is true. ${FOR_OPERATORS}`,
  access: 'SERVER_OPERATE',
  answers: {
    200: {
      about: 'The subscribers, by name.',
      body: answer({
        subscribers: list(
          answer({
            subscriber: text(),
            name: text(),
            ofTenant: optional(text()),
            position: text(),
            runsBehind: count,
            runsBlocked: count,
            deadLetters: count,
            eventsBehind: count,
            moreBehind: flag(),
            oldestAt: optional(instant),
            failing: list(answer({ ofTenant: text(), executionId, runSeq: seq, tries: count })),
            stalledByPid: optional(integer()),
            stalledForMs: optional(count),
          }),
        ),
      }),
    },
  },
})

const subscriber = text({ min: 1, max: 1_024 })
const letterId = text({ pattern: '^[0-9]{1,15}-[0-9]{1,15}$' })
const letterParams = object({ subscriber, letterId })

const letterFields = {
  letterId: text(),
  ofTenant: text(),
  executionId,
  runSeq: seq,
  error: text(),
  at: instant,
  askedAt: optional(instant),
} as const

export const listDeadLetters = route({
  id: 'listDeadLetters',
  method: 'GET',
  path: '/v1/feed/subscribers/{subscriber}/dead-letters',
  tag: 'operations',
  about: `Events that a subscriber could not be given, oldest first. ${FOR_OPERATORS}`,
  access: 'SERVER_OPERATE',
  params: object({ subscriber }),
  query: object({ limit: optional(pageSize) }),
  answers: { 200: { about: 'The first of them.', body: answer({ deadLetters: list(answer(letterFields)) }) } },
})

export const getDeadLetter = route({
  id: 'getDeadLetter',
  method: 'GET',
  path: '/v1/feed/subscribers/{subscriber}/dead-letters/{letterId}',
  tag: 'operations',
  about: `One of them, with what its event is; what the event says is for its tenant to read. ${FOR_OPERATORS}`,
  access: 'SERVER_OPERATE',
  params: letterParams,
  answers: {
    200: {
      about: 'The dead letter. Without `eventType`: the log of the run was archived.',
      body: answer({ ...letterFields, eventType: optional(text()), persistedAt: optional(instant) }),
    },
  },
})

export const redeliverDeadLetters = route({
  id: 'redeliverDeadLetters',
  method: 'POST',
  path: '/v1/feed/subscribers/{subscriber}/dead-letters/redeliver',
  tag: 'operations',
  about: `Asks for dead letters to be delivered once more, those named or the first hundred. Whoever follows under this name does so within seconds; what is delivered is gone, what fails stays. ${FOR_OPERATORS}`,
  access: 'SERVER_OPERATE',
  params: object({ subscriber }),
  body: object({ letterIds: optional(list(letterId, { max: LIMITS.fetchPageEvents })) }),
  answers: { 202: { about: 'How many were asked for.', body: answer({ asked: count }) } },
})

export const dropDeadLetter = route({
  id: 'dropDeadLetter',
  method: 'DELETE',
  path: '/v1/feed/subscribers/{subscriber}/dead-letters/{letterId}',
  tag: 'operations',
  about: `Gives a dead letter up: the subscriber never gets this event. The audit log keeps \`reason\`. ${FOR_OPERATORS}`,
  access: 'SERVER_OPERATE',
  params: letterParams,
  query: object({ reason: optional(oneOf(...DROP_REASONS)) }),
  answers: { 200: { about: 'It is gone.', body: answer({ letterId: text(), dropped: flag() }) } },
})
