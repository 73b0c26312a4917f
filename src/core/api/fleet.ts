/** Routes of operations on many runs: look what one would do, begin it, follow it, abort it. */
import { LIMITS } from '../limits.ts'
import { integer, list, object, oneOf, optional, record, text } from '../schema/shape.ts'
import { route } from './contract.ts'
import { listFilterFields } from './executions.ts'
import { answer, cursor, executionId, fields, instant, pageSize } from './words.ts'

const UUID = '^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$'
const operationId = text({ pattern: UUID })
const params = object({ operationId })
const sha256 = text({ pattern: '^[0-9a-f]{64}$' })
const count = integer({ min: 0 })

/** What is asked for: the same in a preview and in the operation. */
const asked = {
  filter: object(listFilterFields),
  signalType: text({ min: 1, max: 64 }),
  payload: optional(fields),
} as const

const operationShape = answer({
  operationId: text(),
  state: oneOf('RUNNING', 'DONE', 'ABORTED'),
  signalType: text(),
  payload: fields,
  filter: fields,
  previewSha256: text(),
  matched: count,
  open: count,
  done: count,
  left: count,
  approval: count,
  refused: record(count),
  createdAt: instant,
  createdBy: text(),
  endedAt: optional(instant),
  abortedBy: optional(text()),
  abortReason: optional(text()),
})

export const previewOperation = route({
  id: 'previewOperation',
  method: 'POST',
  path: '/v1/operations/preview',
  tag: 'fleet',
  about: `What a signal to all runs that match would do: how many there are, and of the first ${LIMITS.fleetExamined} whether they would take it. Sends nothing.`,
  access: 'SIGNAL_SEND',
  body: object(asked),
  answers: {
    200: {
      about: 'What it would do now. `previewSha256` lets an operation begin only with the same runs.',
      body: answer({
        matched: count,
        examined: count,
        wouldApply: count,
        wouldChangeNothing: count,
        wouldWait: count,
        refused: record(count),
        sample: list(
          answer({
            executionId,
            planId: text(),
            status: text(),
            would: oneOf('apply', 'nothing', 'wait', 'refuse'),
            code: optional(text()),
            reason: optional(text()),
          }),
        ),
        previewSha256: text(),
      }),
    },
  },
})

export const startOperation = route({
  id: 'startOperation',
  method: 'POST',
  path: '/v1/operations',
  tag: 'fleet',
  about:
    'Sends a signal to all runs that match now, some at a time, each judged and recorded as a single signal is. The same operationId counts once, and no run gets the signal twice, whichever process carries it on.',
  access: 'SIGNAL_SEND',
  body: object({ operationId, ...asked, previewSha256: optional(sha256) }),
  answers: {
    200: { about: 'It was begun before, by the same request.', body: operationShape },
    202: { about: 'It has begun.', headers: { Location: 'always' }, body: operationShape },
  },
})

export const listOperations = route({
  id: 'listOperations',
  method: 'GET',
  path: '/v1/operations',
  tag: 'fleet',
  about: 'Operations on many runs, newest first, with their progress.',
  access: 'RUN_READ_STATUS',
  query: object({ limit: optional(pageSize), cursor: optional(cursor) }),
  answers: { 200: { about: 'A page.', body: answer({ operations: list(operationShape), next: optional(text()) }) } },
})

export const getOperation = route({
  id: 'getOperation',
  method: 'GET',
  path: '/v1/operations/{operationId}',
  tag: 'fleet',
  about:
    'An operation with its progress: runs that took the signal (`done`), have it in their inbox (`left`), wait for a second person (`approval`), refused it (by code), or have not had their turn (`open`).',
  access: 'RUN_READ_STATUS',
  params,
  answers: {
    200: {
      about: 'The operation, and the first hundred runs that refused.',
      body: answer({
        operation: operationShape,
        refusedRuns: list(answer({ executionId, code: text() })),
      }),
    },
  },
})

export const abortOperation = route({
  id: 'abortOperation',
  method: 'POST',
  path: '/v1/operations/{operationId}/abort',
  tag: 'fleet',
  about:
    'Aborts an operation: runs whose turn has not come get no signal. Those that have it keep it. An operation that has ended stays as it is.',
  access: 'SIGNAL_SEND',
  params,
  body: object({ reason: optional(text({ max: LIMITS.signalReasonChars })) }),
  answers: { 200: { about: 'The operation.', body: operationShape } },
})
