/** The shape of errors, for every code that there is: what a program may rely on, and what never leaves the process. */
import { expect, it } from 'vitest'
import { isOfMachine } from '../../src/core/problems/outside.ts'
import { problem, KeelsonError } from '../../src/core/problems/problem.ts'
import { REGISTRY, type ProblemCode } from '../../src/core/problems/registry.ts'
import { failureOf } from '../../src/edge/http/wire/failure.ts'
import { served } from './served.ts'

const CODES = Object.keys(REGISTRY) as readonly ProblemCode[]
const TOLD = { timestamp: '2026-11-19T12:00:00.000Z', correlationId: 'c-1' }

/** What each class of answers means, in the words of S4 and those that HTTP adds. */
const STATUS_OF_CATEGORY: Readonly<Record<string, readonly number[]>> = {
  VALIDATION_ERROR: [400, 405, 408, 413, 414, 415, 421, 422, 431],
  UNAUTHENTICATED: [401],
  FORBIDDEN: [403],
  NOT_FOUND: [404],
  CONFLICT: [409, 410],
  RESOURCE_EXHAUSTED: [413, 429, 507],
  INTERNAL_ERROR: [500],
  SERVICE_UNAVAILABLE: [503],
  TIMEOUT_ERROR: [408, 504],
  // Words for how a step ended or a deployment is set up; a caller meets them within a run, or before one is admitted.
  CANCELLED_ERROR: [400],
  NETWORK_ERROR: [400],
  CONFIGURATION_ERROR: [400],
}

it.each(CODES)('%s is told in the one shape, with a status that fits its category [API-13]', (code) => {
  const thrown = new KeelsonError([problem(code, 'what happened', { details: { n: 1 }, hint: 'do this' })])
  const { status, headers, body } = failureOf(thrown, TOLD, false)
  const { error, ...told } = body as { readonly error: Readonly<Record<string, unknown>> }
  expect(told).toEqual(TOLD)
  const { category } = error
  if (code !== 'RUN_ARCHIVED')
    expect(error).toEqual({
      code,
      category,
      help: `docs/errors/${code}.md`,
      retryable: problem(code, '').retryable,
      // What fails in the machine is told by its code alone.
      ...(isOfMachine(code)
        ? { message: `${REGISTRY[code].title} The server's log has the details under c-1.` }
        : { message: 'what happened', hint: 'do this', details: { n: 1 } }),
    })
  if (code.startsWith('EXPR_')) expect([category, status]).toEqual([code, 400])
  else expect(STATUS_OF_CATEGORY[String(category)], `${code}: ${String(category)}`).toContain(status)
  if (status === 429 || status === 503) expect(Number(headers['retry-after'])).toBeGreaterThan(0)
  const asked = failureOf(thrown, TOLD, true)
  expect([asked.status, asked.body]).toEqual([
    status,
    expect.objectContaining({ status, title: code, instance: 'c-1' }),
  ])
})

it('takes the correlation id of the caller and gives it back, or makes one where it has another form [API-13]', async () => {
  await using server = await served()
  const ask = (id?: string) =>
    server.call('GET /v1/executions/none', id === undefined ? {} : { headers: { 'x-correlation-id': id } })
  const own = await ask('desk-7')
  expect([own.headers.get('x-correlation-id'), own.body.correlationId]).toEqual(['desk-7', 'desk-7'])
  for (const id of [undefined, 'a b', 'x'.repeat(300)]) {
    const { headers, body } = await ask(id)
    expect(headers.get('x-correlation-id')).toMatch(/^[0-9a-f-]{36}$/)
    expect(body.correlationId).toBe(headers.get('x-correlation-id'))
  }
})
