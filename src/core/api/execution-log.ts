/** Routes of what a run left behind: its events, its journal, the reasons for where it is, its values, its bundle, and the streams that follow it. */
import { anything, flag, list, object, oneOf, optional, text } from '../schema/shape.ts'
import { LIMITS } from '../limits.ts'
import { route } from './contract.ts'
import { at } from './executions.ts'
import { answer, executionId, executionParams, fields, instant, pageSize, seq, stepName } from './words.ts'

export const listEvents = route({
  id: 'listEvents',
  method: 'GET',
  path: '/v1/executions/{executionId}/events',
  tag: 'executions',
  about:
    'Events of the log by watermark, in their order. Of a run that was set aside, only up to an event that `upTo` names.',
  access: 'RUN_READ_STATUS',
  params: executionParams,
  query: object({
    after: optional(seq),
    limit: optional(pageSize),
    upTo: optional(seq),
    as: optional(oneOf('record', 's0', 's1', 'cloudevents')),
  }),
  answers: {
    200: {
      about: 'A page of events. `next` is the watermark to go on from; `ended` says that no more will come.',
      body: answer({ events: list(fields), next: seq, ended: flag() }),
    },
  },
})

export const getJournal = route({
  id: 'getJournal',
  method: 'GET',
  path: '/v1/executions/{executionId}/journal',
  tag: 'executions',
  about: 'The journal of a run: what happened, entry by entry, with secrets masked and long values cut.',
  access: 'RUN_READ_STATUS',
  params: executionParams,
  query: object({
    cursor: optional(seq),
    since: optional(instant),
    limit: optional(pageSize),
    format: optional(oneOf('json', 'ndjson')),
  }),
  headers: ['If-None-Match'],
  answers: {
    200: {
      about: 'A page of entries. `next` is the cursor of the next page; `format=ndjson` gives one entry a line.',
      body: answer({ executionId, entries: list(fields), next: optional(seq), truncated: optional(flag()) }),
    },
  },
})

export const explainExecution = route({
  id: 'explainExecution',
  method: 'GET',
  path: '/v1/executions/{executionId}/why',
  tag: 'executions',
  about: 'Why the run is where it is: for each step that has not ended, every cause and what would move it.',
  access: 'RUN_READ_STATUS',
  params: executionParams,
  query: at,
  answers: {
    200: {
      about: 'Causes by step.',
      body: answer({ executionId, steps: list(answer({ step: text(), causes: list(fields) })) }),
    },
  },
})

export const explainStep = route({
  id: 'explainStep',
  method: 'GET',
  path: '/v1/executions/{executionId}/why/{step}',
  tag: 'executions',
  about: 'Why one step is where it is, now or as it was after event `at`.',
  access: 'RUN_READ_STATUS',
  params: object({ executionId, step: stepName }),
  query: at,
  answers: { 200: { about: 'Its causes.', body: answer({ executionId, step: text(), causes: list(fields) }) } },
})

export const getStepOutput = route({
  id: 'getStepOutput',
  method: 'GET',
  path: '/v1/executions/{executionId}/steps/{step}/output',
  tag: 'executions',
  about:
    'What a step, an item (`pack[5]`) or a fallback was given and what it gave back, now or as it was after event `at`.',
  access: 'RUN_READ_STATUS',
  params: object({ executionId, step: stepName }),
  query: at,
  answers: {
    200: {
      about: 'Input and output as far as they are on record.',
      body: answer({ executionId, step: text(), input: optional(anything()), output: optional(anything()) }),
    },
  },
})

/** A question like any other: nothing is changed by it, so it may be asked again, and is counted as a read. */
export const tryExpression = route({
  id: 'tryExpression',
  method: 'GET',
  path: '/v1/executions/{executionId}/expression',
  tag: 'executions',
  about:
    'What an expression gives over the values that the run has on record, now or as they were after event `at`; with `step` as that step, item or fallback sees them.',
  access: 'RUN_READ_STATUS',
  params: executionParams,
  query: object({
    expression: text({ min: 1, max: LIMITS.expressionChars }),
    at: optional(seq),
    step: optional(stepName),
  }),
  answers: {
    200: {
      about: 'Its value, the event that it was evaluated after, and whether it holds as a condition.',
      body: answer({ executionId, at: seq, value: anything(), isTrue: flag() }),
    },
  },
})

export const getBundle = route({
  id: 'getBundle',
  method: 'GET',
  path: '/v1/executions/{executionId}/bundle',
  tag: 'executions',
  about: 'The run as one file that `keelson verify` proves without this server.',
  access: 'ARTIFACT_READ',
  params: executionParams,
  answers: {
    200: { about: 'The lines of the bundle.', body: text(), type: 'application/x-ndjson' },
  },
})

export const getArtifact = route({
  id: 'getArtifact',
  method: 'GET',
  path: '/v1/executions/{executionId}/artifacts/{artifactSha256}',
  tag: 'executions',
  about: 'The bytes of an artifact that the log of this run refers to, checked against its hash while they are sent.',
  access: 'ARTIFACT_READ',
  params: object({ executionId, artifactSha256: text({ pattern: '^[0-9a-f]{64}$' }) }),
  answers: {
    200: {
      about: 'The bytes. A connection that breaks off: they do not fit the hash.',
      body: text(),
      type: 'application/octet-stream',
    },
  },
})

export const streamExecution = route({
  id: 'streamExecution',
  method: 'GET',
  path: '/v1/executions/{executionId}/stream',
  tag: 'streams',
  about: 'The log as server-sent events: `id` is the runSeq; `Last-Event-ID` goes on from there.',
  access: 'RUN_READ_STATUS',
  params: executionParams,
  query: object({ after: optional(seq) }),
  headers: ['Last-Event-ID'],
  answers: { 200: { about: 'Events until the end of the run.', body: text(), type: 'text/event-stream' } },
})

export const streamTenant = route({
  id: 'streamTenant',
  method: 'GET',
  path: '/v1/stream',
  tag: 'streams',
  about: 'Which runs of the tenant moved, as server-sent events: for lists that are live without polling.',
  access: 'RUN_READ_STATUS',
  headers: ['Last-Event-ID'],
  answers: { 200: { about: 'Runs that moved, several at once.', body: text(), type: 'text/event-stream' } },
})
