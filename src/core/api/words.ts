/** Parts of requests and answers that several routes share. */
import { LIMITS } from '../limits.ts'
import {
  anything,
  integer,
  list,
  object,
  oneOf,
  optional,
  record,
  text,
  type ObjectOf,
  type Shape,
} from '../schema/shape.ts'

type Fields = Parameters<typeof object>[0]

/** An object of an answer: more fields may come with later versions, and readers ignore what they do not know (VER-03). */
export function answer<const F extends Fields>(fields: F): Shape<ObjectOf<F>> {
  const { additionalProperties: _closed, ...open } = object(fields).schema
  return { schema: open }
}

export const executionId = text({ min: 1, max: LIMITS.nameBytes })
export const executionParams = object({ executionId })
export const stepName = text({ min: 1, max: 512 })
export const runStatus = oneOf('PENDING', 'APPROVED', 'RUNNING', 'PAUSED', 'COMPLETED', 'FAILED', 'CANCELLED')
export const cursor = text({ min: 1, max: 1_024 })
export const pageSize = integer({ min: 1, max: 1_000 })
export const seq = integer({ min: 0, max: Number.MAX_SAFE_INTEGER })
export const instant = text({ min: 1, max: 64 })
export const fields = record(anything())

/** The error of every refusal (API-13). */
export const errorBody = answer({
  error: answer({
    code: text(),
    category: text(),
    message: text(),
    help: text(),
    retryable: optional({ schema: { type: 'boolean' } } as Shape<boolean>),
    hint: optional(text()),
    problems: optional(list(fields)),
    details: optional(fields),
  }),
  timestamp: text(),
  correlationId: text(),
})

/** The same in the form of RFC 9457, for who asks for it. */
export const problemBody = answer({
  type: text(),
  title: text(),
  status: integer(),
  detail: text(),
  instance: text(),
  timestamp: text(),
  problems: list(fields),
})
