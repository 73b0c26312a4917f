/** Routes of remote workers: ask for steps, keep them, report what came of them; and who asks. */
import { LIMITS } from '../limits.ts'
import { anything, flag, integer, list, object, oneOf, optional, plainText, record, text } from '../schema/shape.ts'
import { route } from './contract.ts'
import { answer, executionId, instant, pageSize } from './words.ts'

const name = text({ min: 1, max: LIMITS.nameBytes })
const queue = text({ pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$' })
const params = object({ claim: text({ pattern: '^[A-Za-z0-9_-]{43}$' }) })

const artifact = object({
  uri: text({ min: 1, max: 2_048 }),
  kind: name,
  sha256: optional(text({ pattern: '^[0-9a-f]{64}$' })),
  sizeBytes: optional(integer({ min: 0, max: Number.MAX_SAFE_INTEGER })),
  expiresAt: optional(instant),
})

const claimed = answer({
  claim: text(),
  executionId,
  planId: text(),
  planVersion: text(),
  step: text(),
  slot: text(),
  itemIndex: optional(integer()),
  handler: text(),
  queue: text(),
  input: anything(),
  idempotencyKey: text(),
  attempt: integer(),
  engineAttempt: integer(),
  effect: text(),
  deadline: instant,
  timeoutMs: integer(),
  leaseUntil: instant,
  heartbeatMs: integer(),
  secrets: optional(record(text())),
})

export const claimWork = route({
  id: 'claimWork',
  method: 'POST',
  path: '/v1/work/claim',
  tag: 'work',
  about:
    'Hands out steps of the named queues whose functions the worker has, each under a claim that only this answer tells. Waits up to `waitMs` for the first.',
  access: 'WORK_DO',
  body: object({
    queues: list(queue, { max: LIMITS.workQueues }),
    handlers: list(name, { max: LIMITS.workHandlers }),
    worker: optional(name),
    build: optional(name),
    max: optional(integer({ min: 1, max: LIMITS.workClaims })),
    waitMs: optional(integer({ min: 0, max: LIMITS.workWaitMs })),
    leaseMs: optional(integer({ min: LIMITS.workLeaseMsMin, max: LIMITS.workLeaseMsMax })),
  }),
  answers: { 200: { about: 'The steps; none when there was none in time.', body: answer({ work: list(claimed) }) } },
})

export const heartbeatWork = route({
  id: 'heartbeatWork',
  method: 'POST',
  path: '/v1/work/{claim}/heartbeat',
  tag: 'work',
  about: 'Keeps a claim. `cancel`: nobody waits for the step any more, or its run is being stopped; report soon.',
  access: 'WORK_DO',
  params,
  answers: {
    200: { about: 'Go on, or stop.', body: answer({ answer: oneOf('go-on', 'cancel'), leaseUntil: instant }) },
  },
})

export const reportWork = route({
  id: 'reportWork',
  method: 'POST',
  path: '/v1/work/{claim}/report',
  tag: 'work',
  about:
    'Reports what came of a step. The same report again is answered as the first was. `late`: the attempt had ended before; the log says so, and nothing else changes.',
  access: 'WORK_DO',
  params,
  body: object({
    outcome: oneOf('completed', 'failed'),
    output: optional(anything()),
    error: optional(
      object({
        message: plainText(LIMITS.errorTextBytes),
        code: optional(name),
        name: optional(name),
        status: optional(integer({ min: 100, max: 599 })),
        stack: optional(plainText(LIMITS.errorTextBytes)),
      }),
    ),
    artifacts: optional(list(artifact, { max: 1_000 })),
    log: optional(list(plainText(LIMITS.workLogLineChars), { max: LIMITS.workLogLines })),
  }),
  answers: {
    200: {
      about: 'It was taken. `logKept`: the lines of `log` are an artifact of the execution, named by the step.',
      body: answer({ recorded: oneOf('outcome', 'late'), repeated: flag(), logKept: optional(flag()) }),
    },
  },
})

export const listWork = route({
  id: 'listWork',
  method: 'GET',
  path: '/v1/work',
  tag: 'work',
  about:
    'Steps that were sent to queues and of which nobody has reported, the longest offered first: which function they want, and who has them. Without `worker` a step waits.',
  access: 'RUN_READ_STATUS',
  query: object({ limit: optional(pageSize) }),
  answers: {
    200: {
      about: 'The steps, at most `limit` (100).',
      body: answer({
        work: list(
          answer({
            executionId,
            slot: text(),
            attempt: integer(),
            queue: text(),
            handler: text(),
            offeredAt: instant,
            claims: integer(),
            worker: optional(text()),
            claimedAt: optional(instant),
            leaseUntil: optional(instant),
          }),
        ),
      }),
    },
  },
})

export const listWorkers = route({
  id: 'listWorkers',
  method: 'GET',
  path: '/v1/workers',
  tag: 'work',
  about:
    'Remote workers of the tenant, those that asked last first: what they serve, and since when they have been silent.',
  access: 'RUN_READ_STATUS',
  answers: {
    200: {
      about: 'The workers.',
      body: answer({
        workers: list(
          answer({
            worker: text(),
            actorId: text(),
            build: optional(text()),
            queues: list(text()),
            handlers: list(text()),
            askedAt: instant,
          }),
        ),
      }),
    },
  },
})
