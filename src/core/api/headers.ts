/** Headers of requests and answers as the OpenAPI document and the reference page tell them. */
import type { Contract } from './contract.ts'

type Json = Readonly<Record<string, unknown>>

const text = (more: Json = {}): Json => ({ type: 'string', ...more })

/** Of answers, by their name among the components of the OpenAPI document. */
export const ANSWER_HEADERS = {
  'X-Correlation-ID': {
    description: 'The id that ties the request, its log lines and its runs together.',
    required: true,
    schema: text({ minLength: 1, maxLength: 255 }),
  },
  ETag: { description: 'The tag of the content.', required: true, schema: text({ pattern: '^(W/)?"[0-9a-f]{16}"$' }) },
  Location: {
    description: 'Where the run is to be found, or where a login goes on.',
    required: true,
    schema: text({ pattern: '^(/|https?://)' }),
  },
  'Retry-After': {
    description: 'Seconds after which it is worth asking again.',
    required: true,
    schema: { type: 'integer', minimum: 1 },
  },
  'WWW-Authenticate': { description: 'How to say who asks.', required: true, schema: text() },
} as const

/** Of requests. */
export const ASKED_HEADERS: Readonly<Record<NonNullable<Contract['headers']>[number] | 'X-Correlation-ID', Json>> = {
  'Idempotency-Key': {
    description: 'The same key within ten minutes of the first answer gives that answer again.',
    schema: text({ pattern: '^[a-zA-Z0-9-]+$', minLength: 1, maxLength: 255 }),
  },
  'If-None-Match': { description: 'Tags of content that the caller has.', schema: text() },
  'Last-Event-ID': { description: 'The last event that the caller has.', schema: text() },
  Prefer: { description: '`wait=N` waits up to N seconds for the end of the run.', schema: text() },
  'X-Correlation-ID': {
    description: "The caller's own id for this request. One of another form is replaced.",
    schema: text(),
  },
}
