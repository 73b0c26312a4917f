/** Routes of executions: start one, list them, read one as it is or as it was, follow its log. */
import { anything, flag, list, object, oneOf, optional, record, text, type Shape } from '../schema/shape.ts'
import { LIMITS } from '../limits.ts'
import type { RunSnapshot } from '../view/fold/run-snapshot.ts'
import { runSnapshotShape } from '../view/show/snapshot-schema.ts'
import { route } from './contract.ts'
import { answer, cursor, executionId, executionParams, fields, instant, pageSize, runStatus, seq } from './words.ts'

const sha256 = text({ pattern: '^[0-9a-f]{64}$' })

/** Exactly one of `planId`, `planRef` and `plan` says what is run. */
const startBody = object({
  planId: optional(text({ min: 1, max: LIMITS.nameBytes })),
  planVersion: optional(text({ min: 1, max: LIMITS.nameBytes })),
  sha256: optional(sha256),
  planRef: optional(fields),
  plan: optional(fields),
  input: optional(anything()),
  runRequestId: optional(text({ min: 1, max: LIMITS.nameBytes })),
  correlationId: optional(text({ min: 1, max: LIMITS.nameBytes })),
  notBefore: optional(instant),
  queue: optional(flag()),
  needsApproval: optional(flag()),
})

/** What else is told of a run when it is asked for; `row` is all that a list of runs shows. */
export const EXECUTION_PARTS = [
  'row',
  'trouble',
  'damage',
  'related',
  'bounds',
  'validationReport',
  'grantWaits',
] as const

const parts = {
  row: optional(fields),
  trouble: optional(fields),
  damage: optional(fields),
  related: optional(fields),
  bounds: optional(fields),
  validationReport: optional(fields),
  grantWaits: optional(list(fields)),
}

const links = answer({ self: text(), events: text(), stream: text(), journal: text(), snapshot: text(), why: text() })

export const executionShape = answer({
  executionId,
  status: runStatus,
  /** The lower-case word of S4 for the same. */
  state: text(),
  substatus: optional(text()),
  message: optional(text()),
  planId: text(),
  planVersion: text(),
  planSha256: text(),
  createdAt: text(),
  updatedAt: text(),
  startedAt: optional(text()),
  completedAt: optional(text()),
  lastEventSeq: seq,
  triggeredBy: optional(text()),
  originalExecutionId: optional(text()),
  parentExecutionId: optional(text()),
  notBefore: optional(text()),
  quarantine: optional(text()),
  archivedAt: optional(text()),
  engine: text(),
  output: optional(anything()),
  error: optional(fields),
  /** In lists, where no log is read: the code of the root cause of a failed run. */
  errorCode: optional(text()),
  links,
  ...parts,
})

const accepted = answer({ executionId, status: text(), state: text(), checkUrl: text(), existed: flag() })

const started = {
  200: {
    about: 'The run ended while it was waited for (`mode=sync`).',
    headers: { Location: 'always', 'Retry-After': 'sometimes' },
    body: executionShape,
  },
  202: {
    about: 'The run is on record and goes on. `Location` leads to it.',
    headers: { Location: 'always', 'Retry-After': 'always' },
    body: accepted,
  },
} as const

/** A word that is neither `sync` nor `async` counts as `async` (API-01). */
const startQuery = object({ mode: optional(text({ max: 16 })) })

export const startExecution = route({
  id: 'startExecution',
  method: 'POST',
  path: '/v1/executions',
  tag: 'executions',
  about: 'Starts a run of a published plan, of a plan by reference, or, in development, of a plan in the body.',
  access: 'RUN_START',
  query: startQuery,
  headers: ['Idempotency-Key', 'Prefer'],
  body: startBody,
  answers: started,
})

export const executeWorkflow = route({
  ...startExecution,
  id: 'executeWorkflow',
  path: '/v1/workflows/execute',
  about: 'Another spelling of `POST /v1/executions`.',
})

/** What runs are chosen by: in a list, and for an operation on many. */
export const listFilterFields = {
  status: optional(list(runStatus, { max: 7 })),
  planId: optional(text({ min: 1, max: LIMITS.nameBytes })),
  createdFrom: optional(instant),
  createdTo: optional(instant),
  originalExecutionId: optional(executionId),
  errorCode: optional(text({ min: 1, max: LIMITS.nameBytes })),
  triggeredBy: optional(text({ min: 1, max: LIMITS.nameBytes })),
  label: optional(list(text({ min: 1, max: 512 }), { max: 16 })),
} as const

export const listExecutions = route({
  id: 'listExecutions',
  method: 'GET',
  path: '/v1/executions',
  tag: 'executions',
  about:
    'Runs of the tenant, newest first, page by page. `filter` takes the same as people type it: `status:failed plan:order since:24h error:HTTP_503 actor:ana label:team=ops`.',
  access: 'RUN_READ_STATUS',
  query: object({
    ...listFilterFields,
    filter: optional(text({ min: 1, max: 1_024 })),
    limit: optional(pageSize),
    cursor: optional(cursor),
    with: optional(list(oneOf('row'), { max: 1 })),
  }),
  headers: ['If-None-Match'],
  answers: {
    200: { about: 'A page of runs.', body: answer({ executions: list(executionShape), next: optional(text()) }) },
  },
})

export const countExecutions = route({
  id: 'countExecutions',
  method: 'GET',
  path: '/v1/executions/counts',
  tag: 'executions',
  about: 'How many runs of the tenant are in each status.',
  access: 'RUN_READ_STATUS',
  answers: { 200: { about: 'Counts by status.', body: record({ schema: { type: 'integer' } }) } },
})

export const at = object({ at: optional(seq) })

export const getExecution = route({
  id: 'getExecution',
  method: 'GET',
  path: '/v1/executions/{executionId}',
  tag: 'executions',
  about:
    'The status of a run, with its output or its error once it has ended. With `with`, instead of those, the parts that it names: so a run whose log cannot be read is found too.',
  access: 'RUN_READ_STATUS',
  params: executionParams,
  query: object({
    at: optional(seq),
    with: optional(list(oneOf(...EXECUTION_PARTS), { max: EXECUTION_PARTS.length })),
  }),
  headers: ['If-None-Match'],
  answers: {
    200: {
      about: 'The run, now or as it was after event `at`.',
      headers: { Location: 'always', 'Retry-After': 'sometimes' },
      body: executionShape,
    },
  },
})

export const getSnapshot = route({
  id: 'getSnapshot',
  method: 'GET',
  path: '/v1/executions/{executionId}/snapshot',
  tag: 'executions',
  about: 'The run as people see it: every step with its attempts.',
  access: 'RUN_READ_STATUS',
  params: executionParams,
  query: at,
  headers: ['If-None-Match'],
  answers: {
    200: {
      about: 'The snapshot, and its hash (PRJ-24).',
      body: answer({
        snapshot: { schema: { ...runSnapshotShape.schema } } as Shape<RunSnapshot>,
        sha256: text(),
      }),
    },
  },
})
