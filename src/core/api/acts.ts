/** Routes that steer a run: signals with their decisions, cancel, fork, and the queue. */
import { LIMITS } from '../limits.ts'
import { anything, flag, integer, list, object, oneOf, optional, text } from '../schema/shape.ts'
import { SIGNAL_TYPES } from '../run/signals/catalogue.ts'
import { route } from './contract.ts'
import { answer, cursor, executionId, executionParams, fields, instant, pageSize, seq } from './words.ts'

const UUID = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-4[0-9a-fA-F]{3}-[89abAB][0-9a-fA-F]{3}-[0-9a-fA-F]{12}$'
const reason = text({ max: LIMITS.signalReasonChars })

/** What was decided on a signal (AUT-01). */
export const decisionShape = answer({
  signalDecisionId: text(),
  signalId: text(),
  executionId,
  signalType: text(),
  decision: oneOf('ACCEPTED', 'REJECTED', 'REVISION_REQUIRED', 'PENDING'),
  reason: optional(text()),
  reasonCode: optional(text()),
  policyDecisionId: text(),
  audit: fields,
  signalPayload: optional(fields),
  engineProcessedAt: optional(text()),
  engineResult: optional(fields),
  approvalRequired: optional(flag()),
  approvedBy: optional(text()),
  approvalTimestamp: optional(text()),
  startedExecutionId: optional(text()),
})

export const sendSignal = route({
  id: 'sendSignal',
  method: 'POST',
  path: '/v1/executions/{executionId}/signals',
  tag: 'acts',
  about: `Sends a signal: ${SIGNAL_TYPES.join(', ')}. The same signalId counts once.`,
  access: 'SIGNAL_SEND',
  params: executionParams,
  body: object({
    signalId: text({ pattern: UUID }),
    signalType: text({ min: 1, max: 64 }),
    payload: optional(fields),
  }),
  answers: {
    200: { about: 'The run took it.', body: decisionShape },
    202: { about: 'It is in the inbox of the run, or it waits for a second person.', body: decisionShape },
  },
})

export const listSignals = route({
  id: 'listSignals',
  method: 'GET',
  path: '/v1/executions/{executionId}/signals',
  tag: 'acts',
  about: 'What was decided on the signals of a run, in order.',
  access: 'RUN_READ_STATUS',
  params: executionParams,
  answers: { 200: { about: 'The decisions.', body: answer({ decisions: list(decisionShape) }) } },
})

export const getSignal = route({
  id: 'getSignal',
  method: 'GET',
  path: '/v1/executions/{executionId}/signals/{signalId}',
  tag: 'acts',
  about: 'The decision on one signal, by its id or by its policyDecisionId.',
  access: 'RUN_READ_STATUS',
  params: object({ executionId, signalId: text({ min: 1, max: LIMITS.nameBytes }) }),
  answers: { 200: { about: 'The decision.', body: decisionShape } },
})

export const cancelExecution = route({
  id: 'cancelExecution',
  method: 'POST',
  path: '/v1/executions/{executionId}/cancel',
  tag: 'acts',
  about: 'Cancels a run. A cancelled run answers 200 again; one that completed or failed answers 409.',
  access: 'RUN_CANCEL',
  params: executionParams,
  body: object({ reason: optional(reason), undo: optional(flag()) }),
  answers: {
    200: {
      about: 'The run is cancelled.',
      headers: { Location: 'always' },
      body: answer({ executionId, status: text(), state: text() }),
    },
    202: {
      about:
        'It was asked to stop and is stopping; with `approvalRequired` it goes on until a second person has accepted the decision. `Location` leads to it.',
      headers: { Location: 'always', 'Retry-After': 'always' },
      body: answer({
        executionId,
        status: text(),
        state: text(),
        approvalRequired: optional(flag()),
        signalDecisionId: optional(text()),
      }),
    },
  },
})

const forkBody = object({
  from: optional(text({ min: 1, max: 512 })),
  atSeq: optional(seq),
  input: optional(anything()),
  planId: optional(text({ min: 1, max: 128 })),
  planVersion: optional(text({ min: 1, max: 128 })),
  sha256: optional(text({ pattern: '^[0-9a-f]{64}$' })),
  newChildren: optional(flag()),
  repeatIrreversible: optional(flag()),
})

export const forkExecution = route({
  id: 'forkExecution',
  method: 'POST',
  path: '/v1/executions/{executionId}/fork',
  tag: 'acts',
  about:
    'Starts a new run from the results of an ended one, with the same or another plan or input. It also needs a role that may send `RETRY_RUN` (Engineer, Admin).',
  access: 'RUN_START',
  params: executionParams,
  query: object({ preview: optional(flag()) }),
  headers: ['Idempotency-Key'],
  body: forkBody,
  answers: {
    200: {
      about: 'With `preview`: what it would take over and do again. Nothing was started.',
      body: answer({
        taken: list(text()),
        again: fields,
        repeats: list(fields),
        dropped: list(text()),
        approval: text(),
      }),
    },
    202: {
      about: 'The new run.',
      body: answer({
        executionId,
        originalExecutionId: text(),
        status: text(),
        state: text(),
        checkUrl: text(),
        existed: flag(),
      }),
    },
  },
})

export const listDecisions = route({
  id: 'listDecisions',
  method: 'GET',
  path: '/v1/decisions',
  tag: 'acts',
  about: 'Decisions on signals of all runs; `state=PENDING` gives those that wait for a second person.',
  access: 'RUN_READ_STATUS',
  query: object({ state: optional(oneOf('PENDING')), limit: optional(pageSize), cursor: optional(cursor) }),
  answers: { 200: { about: 'A page.', body: answer({ decisions: list(decisionShape), next: optional(text()) }) } },
})

const decisionParams = object({ decisionId: text({ min: 1, max: LIMITS.nameBytes }) })

export const acceptDecision = route({
  id: 'acceptDecision',
  method: 'POST',
  path: '/v1/decisions/{decisionId}/accept',
  tag: 'acts',
  about: 'A second person accepts a signal that waits for approval; it is applied once.',
  access: 'SIGNAL_SEND',
  params: decisionParams,
  body: object({ reason: optional(reason) }),
  answers: { 200: { about: 'The decision.', body: decisionShape } },
})

export const refuseDecision = route({
  ...acceptDecision,
  id: 'refuseDecision',
  path: '/v1/decisions/{decisionId}/refuse',
  about: 'A second person refuses a signal that waits for approval; it is never applied.',
})

const refusal = optional(answer({ code: text(), why: text() }))

const queuedShape = answer({
  executionId,
  status: text(),
  state: text(),
  substatus: optional(text()),
  planId: text(),
  planVersion: text(),
  createdAt: instant,
  triggeredBy: optional(text()),
  notBefore: optional(instant),
  quarantine: optional(text()),
  waitsFor: optional(
    list(
      answer({
        limit: text(),
        position: integer(),
        since: instant,
        heldBy: list(executionId),
        perMinute: optional(flag()),
        hasRoom: optional(flag()),
      }),
    ),
  ),
  mayNot: refusal,
  cannotStart: refusal,
})

export const listQueue = route({
  id: 'listQueue',
  method: 'GET',
  path: '/v1/queue',
  tag: 'queue',
  about:
    'Runs that are admitted and have not started, newest first or with `order=oldest` oldest first, each with the limits it waits for and its place; `hasRoom`: only another of its limits has none. `mayNot`: why you may not approve it, where it waits for approval. `cannotStart`: why this server could not start it.',
  access: 'RUN_READ_STATUS',
  query: object({
    limit: optional(pageSize),
    cursor: optional(cursor),
    order: optional(oneOf('newest', 'oldest')),
  }),
  answers: { 200: { about: 'A page.', body: answer({ executions: list(queuedShape), next: optional(text()) }) } },
})

const settled = answer({ executionId, status: text() })

export const approveExecution = route({
  id: 'approveExecution',
  method: 'POST',
  path: '/v1/queue/{executionId}/approve',
  tag: 'queue',
  about: 'Lets a run start that waits for approval.',
  access: 'RUN_APPROVE',
  params: executionParams,
  answers: { 200: { about: 'Where the run is now.', body: settled } },
})

export const startQueued = route({
  ...approveExecution,
  id: 'startQueued',
  path: '/v1/queue/{executionId}/start',
  about: 'Starts a queued run now, if its limits have room and nobody is to approve it.',
  access: 'RUN_START',
  answers: {
    200: {
      about: 'STARTED, or SKIPPED: it waits for approval, its instant or room, or somebody else has it.',
      body: answer({
        executionId,
        outcome: oneOf('STARTED', 'SKIPPED', 'FAILED'),
        status: text(),
        reason: optional(text()),
      }),
    },
  },
})

export const rejectExecution = route({
  ...approveExecution,
  id: 'rejectExecution',
  path: '/v1/queue/{executionId}/reject',
  about: 'Ends a run that waits for approval, before it began.',
  body: object({ reason: optional(reason) }),
})
