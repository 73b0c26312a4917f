/** Routes of manual tasks: what waits for a person, and completing it. */
import { LIMITS } from '../limits.ts'
import { anything, integer, list, literal, object, oneOf, optional, text } from '../schema/shape.ts'
import { route } from './contract.ts'
import { answer, cursor, executionId, fields, instant, pageSize } from './words.ts'

const name = text({ min: 1, max: LIMITS.nameBytes })
const token = text({ min: 1, max: LIMITS.taskTokenChars })
const task = answer({
  executionId,
  planId: text(),
  actionId: text(),
  attempt: integer(),
  title: text(),
  instructions: optional(text()),
  assignees: optional(list(text())),
  openedAt: text(),
  expiresAt: optional(text()),
  whoMay: optional(text()),
  token: optional(text()),
  mayNot: optional(answer({ code: text(), why: text() })),
  refused: optional(list(fields)),
  changed: optional(list(fields)),
  sent: optional(fields),
})

export const listTasks = route({
  id: 'listTasks',
  method: 'GET',
  path: '/v1/tasks',
  tag: 'tasks',
  about:
    'Open manual tasks of the tenant that could be the principal’s. Those that it may complete have their token, others say why not (`mayNot`); `executionId` names one run. Newest runs first; a page may be empty and still have a `next`.',
  access: 'TASK_READ',
  query: object({
    executionId: optional(executionId),
    planId: optional(name),
    limit: optional(pageSize),
    cursor: optional(cursor),
  }),
  answers: { 200: { about: 'A page.', body: answer({ tasks: list(task), next: optional(text()) }) } },
})

export const getTask = route({
  id: 'getTask',
  method: 'GET',
  path: '/v1/tasks/{token}',
  tag: 'tasks',
  about: 'One open task by its token, with the schema of its result, and why this principal may not complete it if so.',
  access: 'TASK_READ',
  params: object({ token }),
  answers: {
    200: {
      about: 'The task.',
      body: answer({
        executionId,
        actionId: text(),
        attempt: integer(),
        title: text(),
        token: text(),
        openedAt: text(),
        mayNot: optional(answer({ code: text(), why: text() })),
        evidenceSchema: optional(anything()),
      }),
    },
  },
})

/** The signal of S3 (MAN-03); what the path and the principal say already may be left out. */
export const completeTask = route({
  id: 'completeTask',
  method: 'POST',
  path: '/v1/tasks/{token}/complete',
  tag: 'tasks',
  about: 'Completes a task. The same token again answers the first result.',
  access: 'TASK_COMPLETE',
  params: object({ token }),
  body: object({
    schemaVersion: optional(literal(1)),
    executionId: optional(executionId),
    runId: optional(executionId),
    actionId: optional(name),
    completionToken: optional(token),
    outcome: oneOf('Succeeded', 'Failed', 'Cancelled'),
    actorUserId: optional(name),
    completedAtIso: optional(instant),
    notes: optional(text({ max: LIMITS.notesChars })),
    evidenceRefs: optional(list(name, { max: LIMITS.evidenceRefs })),
    result: optional(anything()),
  }),
  answers: {
    200: {
      about: '`accepted`, or `repeat` with the first outcome.',
      body: answer({ kind: text(), outcome: optional(text()), approved: optional(fields) }),
    },
  },
})
