/** How answers leave the server: whole, with their length, and always. */
import { expect, it } from 'vitest'
import { rawAnswer, rawRequest } from './raw-socket.ts'
import { served } from './served.ts'

it.each([
  ['an answer', 'GET /v1/me', 200],
  ['a refusal', 'GET /v1/executions/none', 404],
  ['a refusal of an address', 'GET /nothing', 404],
])('%s says how long it is, so that nobody takes a part of it for the whole', async (_, line, status) => {
  await using server = await served()
  const given = ['Authorization: Bearer acme.zoe.Admin']
  for (const version of ['1.1', '1.0']) {
    const text = await rawAnswer(server.url, rawRequest(server.url, line, given).replace('HTTP/1.1', `HTTP/${version}`))
    const [head = '', body = ''] = text.split('\r\n\r\n')
    expect(head).toContain(` ${status} `)
    expect(head.toLowerCase()).toContain(`content-length: ${Buffer.byteLength(body)}`)
    expect(head.toLowerCase()).not.toContain('transfer-encoding')
  }
})

it('an answer that has no JSON form is told as a failure, and nobody waits for it [API-13]', async () => {
  const ana = { tenantId: 'acme', projectId: 'default', environmentId: 'local', actorId: 'ana', roles: ['Admin'] }
  // As if a value that no reader checked had come into an answer.
  await using server = await served({}, { who: () => ({ ...ana, kind: 'user', displayName: 1n as never }) })
  const response = await fetch(`${server.url}/v1/me`, { signal: AbortSignal.timeout(5_000) })
  expect(response.status).toBe(500)
  expect(await response.json()).toMatchObject({ error: { code: 'INTERNAL' } })
  expect(server.told).toHaveLength(1)
})
