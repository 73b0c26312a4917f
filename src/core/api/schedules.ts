/** Routes of schedules: make, change, pause, look back and ahead, fill in what was not run. */
import { LIMITS } from '../limits.ts'
import { CATCH_UPS } from '../schedule/owed.ts'
import { OVERLAPS } from '../schedule/definition.ts'
import { anything, flag, integer, list, object, oneOf, optional, text } from '../schema/shape.ts'
import { route } from './contract.ts'
import { answer, cursor, executionId, instant, pageSize, runStatus } from './words.ts'

export const scheduleId = text({ pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]{0,127}$' })
const name = text({ pattern: '^[A-Za-z0-9_.-]{1,128}$' })
const duration = text({ min: 2, max: 20 })
const params = object({ scheduleId })

const TIMES = {
  cron: optional(text({ min: 1, max: 200 })),
  every: optional(duration),
  zone: optional(text({ min: 1, max: 64 })),
} as const

/** What it says; the same in a request and in the answer. */
const DEFINITION = {
  planId: name,
  planVersion: optional(name),
  ...TIMES,
  input: optional(anything()),
  overlap: optional(oneOf(...OVERLAPS)),
  catchUp: optional(oneOf(...CATCH_UPS)),
  catchUpMax: optional(integer({ min: 1, max: LIMITS.scheduleCatchUp })),
  jitter: optional(duration),
} as const

const backfillShape = answer({
  backfillId: text(),
  from: instant,
  to: instant,
  concurrency: integer({ min: 1 }),
  started: integer({ min: 0 }),
  existed: integer({ min: 0 }),
  failed: integer({ min: 0 }),
  running: list(executionId),
  askedBy: text(),
  endedAt: optional(instant),
})

export const scheduleShape = answer({
  scheduleId: text(),
  ...DEFINITION,
  paused: flag(),
  pausedUntil: optional(instant),
  pausedAt: optional(instant),
  pausedBy: optional(text()),
  pauseReason: optional(text()),
  ofPlan: flag(),
  nextAt: optional(instant),
  createdAt: instant,
  createdBy: text(),
  updatedAt: instant,
  updatedBy: text(),
})

const happenedShape = answer({
  at: instant,
  outcome: oneOf('started', 'skipped', 'failed'),
  executionId: optional(executionId),
  /** Of the run, as it is now. */
  status: optional(runStatus),
  code: optional(text()),
  reason: optional(text()),
})

export const listSchedules = route({
  id: 'listSchedules',
  method: 'GET',
  path: '/v1/schedules',
  tag: 'schedules',
  about: 'Schedules by their names.',
  access: 'RUN_READ_STATUS',
  query: object({ limit: optional(pageSize), cursor: optional(cursor) }),
  answers: {
    200: { about: 'A page of schedules.', body: answer({ schedules: list(scheduleShape), next: optional(text()) }) },
  },
})

export const createSchedule = route({
  id: 'createSchedule',
  method: 'POST',
  path: '/v1/schedules',
  tag: 'schedules',
  about: 'Makes a schedule: a published plan is started by `cron` in a time zone, or after each `every`.',
  access: 'RUN_START',
  body: object({ scheduleId, ...DEFINITION, pausedUntil: optional(instant) }),
  answers: { 201: { about: 'The schedule.', body: scheduleShape } },
})

export const previewSchedule = route({
  id: 'previewSchedule',
  method: 'POST',
  path: '/v1/schedules/preview',
  tag: 'schedules',
  about: 'When a schedule of such times would come, or what is wrong with them. Makes nothing.',
  access: 'RUN_READ_STATUS',
  body: object(TIMES),
  answers: { 200: { about: 'Its next ten occurrences.', body: answer({ next: list(instant) }) } },
})

export const getSchedule = route({
  id: 'getSchedule',
  method: 'GET',
  path: '/v1/schedules/{scheduleId}',
  tag: 'schedules',
  about: 'A schedule with its last and next ten occurrences, the runs that they started, and its backfills.',
  access: 'RUN_READ_STATUS',
  params,
  answers: {
    200: {
      about: 'The schedule.',
      body: answer({
        schedule: scheduleShape,
        last: list(happenedShape),
        next: list(instant),
        waiting: list(instant),
        backfills: list(backfillShape),
      }),
    },
  },
})

export const updateSchedule = route({
  id: 'updateSchedule',
  method: 'PUT',
  path: '/v1/schedules/{scheduleId}',
  tag: 'schedules',
  about: 'Says anew what a schedule starts and when. Its occurrences begin at now; whether it is paused stays.',
  access: 'RUN_START',
  params,
  body: object(DEFINITION),
  answers: { 200: { about: 'The schedule.', body: scheduleShape } },
})

export const deleteSchedule = route({
  id: 'deleteSchedule',
  method: 'DELETE',
  path: '/v1/schedules/{scheduleId}',
  tag: 'schedules',
  about: 'Removes a schedule. Runs that it started go on.',
  access: 'RUN_START',
  params,
  answers: { 200: { about: 'It is gone.', body: answer({ scheduleId: text(), deleted: flag() }) } },
})

export const pauseSchedule = route({
  id: 'pauseSchedule',
  method: 'POST',
  path: '/v1/schedules/{scheduleId}/pause',
  tag: 'schedules',
  about: 'Pauses a schedule, until an instant or until it is resumed. What comes meanwhile is passed over.',
  access: 'RUN_START',
  params,
  body: object({
    until: optional(instant),
    reason: optional(text({ min: 1, max: LIMITS.signalReasonChars })),
  }),
  answers: { 200: { about: 'The schedule.', body: scheduleShape } },
})

export const resumeSchedule = route({
  id: 'resumeSchedule',
  method: 'POST',
  path: '/v1/schedules/{scheduleId}/resume',
  tag: 'schedules',
  about: 'Resumes a schedule: its next occurrence is the next one after now.',
  access: 'RUN_START',
  params,
  answers: { 200: { about: 'The schedule.', body: scheduleShape } },
})

export const previewBackfill = route({
  id: 'previewBackfill',
  method: 'GET',
  path: '/v1/schedules/{scheduleId}/backfill',
  tag: 'schedules',
  about: 'How many occurrences a backfill from one instant to another would have, both included. Starts nothing.',
  access: 'RUN_READ_STATUS',
  params,
  query: object({ from: instant, to: instant }),
  answers: {
    200: {
      about: 'What it would start. Of the first thousand occurrences it says how many ran already.',
      body: answer({ occurrences: integer({ min: 0 }), existed: integer({ min: 0 }), first: list(instant) }),
    },
  },
})

export const startBackfill = route({
  id: 'startBackfill',
  method: 'POST',
  path: '/v1/schedules/{scheduleId}/backfill',
  tag: 'schedules',
  about:
    'Starts the occurrences of a time that has passed, oldest first, so many at once. One that ran is not run again.',
  access: 'RUN_START',
  params,
  body: object({
    from: instant,
    to: instant,
    concurrency: optional(integer({ min: 1, max: LIMITS.scheduleBackfillRuns })),
  }),
  answers: {
    202: { about: 'It has begun.', body: answer({ backfillId: text(), occurrences: integer({ min: 0 }) }) },
  },
})
