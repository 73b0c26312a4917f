/** `http` steps through the library's front door, against real servers on loopback: requests, answers, failures. */
import { expect, it } from 'vitest'
import { stepIdempotencyKey } from '../../src/app/execute/step-idempotency-key.ts'
import { loadPlan, openKeelson, type OpenOptions, type RunResult } from '../../src/main.ts'
import { loopback, type Answerer } from '../fixtures/loopback.ts'
import { until } from './command.ts'

interface Ended {
  readonly result: RunResult
  readonly errors: readonly { readonly code: string; readonly errorClass: string }[]
}

async function ran(steps: string, input: unknown, options: OpenOptions = {}): Promise<Ended> {
  await using keelson = await openKeelson({ directory: ':memory:', egress: { allow: ['127.0.0.1'] }, ...options })
  const handle = await keelson.start(loadPlan(`plan: p\nversion: 1.0.0\n${steps}`), input)
  const result = await handle.result()
  const failed = (await handle.records()).filter(({ eventType }) => eventType === 'StepFailed')
  return { result, errors: failed.map(({ payload }) => payload?.['error'] as Ended['errors'][number]) }
}

const ONE = `output: "\${steps.a.output}"
steps:
  - { id: a, retry: { initialBackoffMs: 1 }, http: { url: "\${input.base}/thing" } }`

const json =
  (status: number, body: unknown): Answerer =>
  (_asked, response) => {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  }

it('every field of the request may hold expressions, and the answer is the output', async () => {
  const server = await loopback(json(200, { total: 3 }))
  const { result } = await ran(
    `output: "\${steps.a.output}"
steps:
  - id: a
    http:
      url: "\${input.base}/orders/\${input.id}"
      method: PUT
      headers: { X-Count: "\${input.count}", x-absent: "\${input.nothing}", idempotency-key: mine }
      query: { tag: "\${input.tags}", page: "\${input.count}", none: "\${input.nothing}", q: a b&c }
      body: { id: "\${input.id}", tags: "\${input.tags}", run: "run \${run.planId}" }`,
    { base: server.url, id: 'A-1', count: 2, tags: ['x', 'y'] },
  )
  expect(result).toMatchObject({ status: 'COMPLETED', output: { total: 3 } })
  const [asked] = server.asked
  expect(asked).toMatchObject({
    method: 'PUT',
    url: '/orders/A-1?page=2&q=a+b%26c&tag=x&tag=y',
    headers: { 'x-count': '2', 'content-type': 'application/json', 'idempotency-key': 'mine' },
  })
  expect(asked?.headers['x-absent']).toBeUndefined()
  expect(JSON.parse(asked?.body ?? '')).toEqual({ id: 'A-1', tags: ['x', 'y'], run: 'run p' })
})

it('the default is a POST whose JSON body is the input [CAN-14]', async () => {
  const server = await loopback(json(200, null))
  await ran(`steps: [{ id: a, with: { order: "\${input.order}" }, http: { url: "\${input.base}" } }]`, {
    base: server.url,
    order: 7,
  })
  expect(server.asked).toMatchObject([
    {
      method: 'POST',
      body: '{"order":7}',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
    },
  ])
})

it('a 503 with a JSON body is a failure and is tried again, under the same idempotency key [CAN-14, IDC-11]', async () => {
  const answers = [503, 500, 200]
  const server = await loopback((asked, response) => json(answers.shift() ?? 0, { ok: true })(asked, response))
  const { result, errors } = await ran(ONE, { base: server.url })
  expect(result).toMatchObject({ status: 'COMPLETED', output: { ok: true } })
  expect(errors).toMatchObject([
    { code: 'HTTP_503', errorClass: '5xx' },
    { code: 'HTTP_500', errorClass: '5xx' },
  ])
  const http = { url: `${server.url}/thing`, method: 'GET', expect: 'json' }
  const derived = { workflowId: 'p', stepId: 'a', executionId: result.runId, input: { with: {}, http } }
  const { token } = stepIdempotencyKey(derived)
  expect(server.asked.map(({ headers }) => headers['idempotency-key'])).toEqual([token, token, token])
})

it('another request has another idempotency key', async () => {
  const server = await loopback(json(200, null))
  await ran(
    `steps:
  - { id: a, forEach: input.list, http: { url: "\${input.base}", body: "\${item}" } }`,
    { base: server.url, list: [1, 2] },
  )
  expect(new Set(server.asked.map(({ headers }) => headers['idempotency-key'])).size).toBe(2)
})

it.each([
  [400, 'validation', 1],
  [401, 'auth_deny', 1],
  [403, 'auth_deny', 1],
  [404, 'permanent', 1],
  [408, 'timeout', 3],
  [409, 'conflict', 1],
  [422, 'validation', 1],
  [429, 'rate_limit', 3],
  [500, '5xx', 3],
  [502, '5xx', 3],
])('status %i is of class %s and asked %i times [CAN-14, ERR-04, ERR-11]', async (status, errorClass, times) => {
  const server = await loopback(json(status, { why: 'because' }))
  const { result, errors } = await ran(ONE, { base: server.url })
  expect(result).toMatchObject({ status: 'FAILED', error: { code: `HTTP_${status}` } })
  expect(result.error?.message).toContain('because')
  expect(errors.at(-1)).toMatchObject({ errorClass })
  expect(server.asked).toHaveLength(times)
})

it('a success that is not the JSON it promised is permanent [CAN-14]', async () => {
  const server = await loopback((_asked, response) => response.end('<html>'))
  const { result, errors } = await ran(ONE, { base: server.url })
  expect(result).toMatchObject({ status: 'FAILED', error: { code: 'RESPONSE_INVALID' } })
  expect(errors).toMatchObject([{ errorClass: 'validation', retryable: false }])
  expect(server.asked).toHaveLength(1)
})

it.each([
  ['text', 'POST', 200, '{"a":1}', '{"a":1}'],
  ['none', 'POST', 200, 'whatever', null],
  ['json', 'POST', 204, '', null],
  ['json', 'HEAD', 200, '', null],
])('expect: %s, %s, %i gives %j as %j', async (expected, method, status, body, output) => {
  const server = await loopback((_asked, response) => {
    response.writeHead(status)
    response.end(body)
  })
  const plan = ONE.replace('/thing" }', `/thing", method: ${method}, expect: ${expected} }`)
  expect((await ran(plan, { base: server.url })).result.output).toEqual(output)
})

it('a connection that breaks is of class transport and is tried again, where a list names it', async () => {
  const server = await loopback((_asked, response) => response.socket?.resetAndDestroy())
  const plan = ONE.replace('initialBackoffMs: 1', 'initialBackoffMs: 1, retryableErrors: [transport]')
  const { errors } = await ran(plan, { base: server.url })
  const broken = { code: 'ECONNRESET', errorClass: 'transport' }
  expect(errors).toMatchObject([broken, broken, broken])
})

it('a place that is not open is refused by policy, once, and nothing is sent [ERR-11]', async () => {
  const server = await loopback(json(200, null))
  const { errors } = await ran(ONE, { base: server.url }, { egress: {} })
  expect(errors).toMatchObject([{ code: 'EGRESS_REFUSED', errorClass: 'policy_deny', retryable: false }])
  expect(server.open()).toBe(0)
})

it('a cancel closes the connection of a request in flight, and the step reads as cancelled [CAN-07]', async () => {
  const server = await loopback(() => undefined)
  await using keelson = await openKeelson({ directory: ':memory:', egress: { allow: ['127.0.0.1'] } })
  const handle = await keelson.start(loadPlan(`plan: p\nversion: 1.0.0\n${ONE}`), { base: server.url })
  await until('the request has arrived', () => server.asked.length === 1)
  await handle.signal('CANCEL', { reason: 'enough' })
  expect(await handle.result()).toMatchObject({ status: 'CANCELLED' })
  await until('the connection is closed', () => server.open() === 0)
  const failed = (await handle.records()).find(({ eventType }) => eventType === 'StepFailed')
  expect(failed?.payload?.['error']).toMatchObject({ code: 'CANCELLED' })
})

it('the time limit of the attempt closes the connection too', async () => {
  const server = await loopback(() => undefined)
  const plan = ONE.replace('retry: { initialBackoffMs: 1 }', 'timeoutMs: 50, retry: { maxAttempts: 1 }')
  const { result } = await ran(plan, { base: server.url })
  expect(result).toMatchObject({ status: 'FAILED', error: { code: 'TIMEOUT' } })
  await until('the connection is closed', () => server.open() === 0)
})

it('what undoes a step and what replaces it may be requests as well', async () => {
  const server = await loopback((asked, response) => {
    json(asked.url === '/undo' || asked.url === '/instead' || asked.url === '/do' ? 200 : 400, { at: asked.url })(
      asked,
      response,
    )
  })
  const { result } = await ran(
    `steps:
  - id: a
    http: { url: "\${input.base}/do", body: 1 }
    compensate: { http: { url: "\${input.base}/undo", body: { did: "\${steps.a.output.at}" } } }
  - id: b
    http: { url: "\${input.base}/fails" }
    fallbackOn: [permanent]
    fallback: { http: { url: "\${input.base}/instead" } }
  - { id: c, http: { url: "\${input.base}/fails" } }`,
    { base: server.url },
  )
  expect(result.status).toBe('FAILED')
  expect(server.asked.map(({ url }) => url)).toEqual(['/do', '/fails', '/instead', '/fails', '/undo'])
  expect(server.asked.at(-1)?.body).toBe('{"did":"/do"}')
  expect(server.asked.map(({ method }) => method)).toEqual(['POST', 'GET', 'GET', 'GET', 'POST'])
})

it('a value that is no text where text is needed fails the step before anything is sent', async () => {
  const server = await loopback(json(200, null))
  const plan = ONE.replace('/thing" }', '/thing", headers: { x-list: "${input.list}" } }')
  const { errors } = await ran(plan, { base: server.url, list: [1] })
  expect(errors).toMatchObject([{ code: 'INPUT_INVALID', errorClass: 'validation' }])
  expect(server.asked).toEqual([])
})

it('a secret of the step is the header of its name, and an answer that repeats it is masked', async () => {
  const server = await loopback((asked, response) => json(200, { heard: asked.headers.authorization })(asked, response))
  const secrets = {
    resolve: async () => new Map([['secret://pay/header', { value: 'Bearer hunter2-and-more', version: '1' }]]),
  }
  const plan = ONE.replace('{ id: a,', '{ id: a, secrets: { Authorization: secret://pay/header },')
  const { result } = await ran(plan, { base: server.url }, { egress: { allow: ['127.0.0.1'] }, secrets })
  expect(server.asked[0]?.headers.authorization).toBe('Bearer hunter2-and-more')
  expect(result.status).toBe('COMPLETED')
  expect(JSON.stringify(result)).not.toContain('hunter2')
})

it('a wrong host in the options is refused before anything is opened', async () => {
  const opened = openKeelson({ directory: ':memory:', egress: { allow: ['http://a.example'] } })
  await expect(opened).rejects.toMatchObject({ code: 'EGRESS_ALLOW_INVALID' })
})
