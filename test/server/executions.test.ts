/** Executions over real HTTP: start them, wait for them, read them. */
import { expect, it } from 'vitest'
import { EVE, served } from './served.ts'

const GREET = `
plan: greet
version: 1.0.0
steps:
  - { id: hello, run: hello, with: { name: '\${input.name}' } }
output: { said: '\${steps.hello.output}' }
`
const steps = { hello: ({ name }: { name: string }) => `hello ${name}` }

it('starts a run and says where it is to be found [API-06, API-07, API-10, API-11]', async () => {
  await using server = await served({ steps })
  await server.publish(GREET)
  const { status, headers, body } = await server.call('POST /v1/executions', {
    body: { planId: 'greet', input: { name: 'Ana' } },
  })
  expect(status).toBe(202)
  expect(body).toMatchObject({
    state: expect.any(String),
    checkUrl: `/v1/executions/${body.executionId}`,
    existed: false,
  })
  expect(headers.get('location')).toBe(`/v1/executions/${body.executionId}`)
  expect(headers.get('retry-after')).toBe('5')
  expect(headers.get('content-type')).toBe('application/json')
})

it('waits for the end of a run that is asked for with mode=sync, and gives its output [API-02, API-10]', async () => {
  await using server = await served({ steps })
  await server.publish(GREET)
  const answer = await server.call('POST /v1/workflows/execute?mode=sync', {
    body: { planId: 'greet', input: { name: 'Ana' } },
  })
  expect(answer.status).toBe(200)
  expect(answer.body).toMatchObject({ status: 'COMPLETED', state: 'completed', output: { said: 'hello Ana' } })
  expect(answer.headers.get('location')).toBe(`/v1/executions/${answer.body.executionId}`)
})

it('answers 304 to who has the content, whatever the order of its keys [API-04, API-05, API-12, X-70]', async () => {
  await using server = await served({ steps })
  await server.publish(GREET)
  const { body } = await server.call('POST /v1/executions?mode=sync', {
    body: { planId: 'greet', input: { name: 'Ana' } },
  })
  const first = await server.call(`GET /v1/executions/${body.executionId}`)
  const etag = first.headers.get('etag') ?? ''
  expect(etag).toMatch(/^"[0-9a-f]{16}"$/)
  expect(first.headers.get('cache-control')).toBe('max-age=0, must-revalidate')
  const again = await server.call(`GET /v1/executions/${body.executionId}`, { headers: { 'if-none-match': etag } })
  expect({ status: again.status, text: again.text, etag: again.headers.get('etag') }).toEqual({
    status: 304,
    text: '',
    etag,
  })
})

it('gives another tenant the answer of a run that does not exist [AUT-10, API-13]', async () => {
  await using server = await served({ steps })
  await server.publish(GREET)
  const { body } = await server.call('POST /v1/executions?mode=sync', {
    body: { planId: 'greet', input: { name: 'Ana' } },
  })
  const foreign = await server.call(`GET /v1/executions/${body.executionId}`, { as: EVE })
  const unknown = await server.call(`GET /v1/executions/${body.executionId.replace(/.$/, 'x')}`, { as: EVE })
  expect(foreign.status).toBe(404)
  expect(foreign.body.error).toMatchObject({ code: 'RUN_NOT_FOUND', category: 'NOT_FOUND' })
  expect(foreign.body.error.message.length).toBe(unknown.body.error.message.length)
})

it('refuses what a request does not have, with what was probably meant', async () => {
  await using server = await served({ steps })
  const { status, body } = await server.call('POST /v1/executions', { body: { planid: 'greet' } })
  expect(status).toBe(400)
  expect(body.error).toMatchObject({
    code: 'BODY_INVALID',
    category: 'VALIDATION_ERROR',
    hint: "did you mean 'planId'?",
  })
  expect(server.told).toEqual([])
})
