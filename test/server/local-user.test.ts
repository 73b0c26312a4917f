/** The local user, whom it may act for, and what the log of a server tells of a request. */
import { expect, it } from 'vitest'
import { firstWho, localUser } from '../../src/edge/http/who/who-asks.ts'
import type { RequestLine } from '../../src/edge/http/serve/world.ts'
import { onceGated } from './gated-step.ts'
import { ANA, served } from './served.ts'

const PLAN = `
plan: one
version: 1.0.0
steps:
  - { id: a, run: a }
`

it('in development the local user acts for another person, and outside it for nobody [API-15]', async () => {
  const as = { 'x-keelson-act-as': 'bob' }
  await using dev = await served({}, { dev: true, who: firstWho([localUser(true)]) })
  expect((await dev.call('GET /v1/me', { as: '' })).body).toMatchObject({
    tenantId: 'local',
    actorId: 'local',
    dev: true,
  })
  const bob = await dev.call('GET /v1/me', { as: '', headers: as })
  expect(bob.body).toMatchObject({
    tenantId: 'local',
    actorId: 'bob',
    kind: 'local',
    roles: ['Admin', 'server-operator'],
  })
  const bad = await dev.call('GET /v1/me', { as: '', headers: { 'x-keelson-act-as': 'x'.repeat(256) } })
  expect(bad.body.error.code).toBe('HEADER_INVALID')
  expect((await dev.call('GET /v1/me', { as: 'acme.ana.Admin' })).body.error.code).toBe('NOT_AUTHENTICATED')
  await using plain = await served({}, { who: firstWho([localUser(false)]) })
  const refused = await plain.call('GET /v1/me', { as: '', headers: as })
  expect((await plain.call('GET /v1/me', { as: '' })).body.dev).toBeUndefined()
  expect({ status: refused.status, code: refused.body.error.code }).toEqual({ status: 400, code: 'HEADER_INVALID' })
  await using keyed = await served({}, { dev: true })
  expect((await keyed.call('GET /v1/me', { headers: as })).body.error.code).toBe('HEADER_INVALID')
})

it('a request is one line in the log, without anything that it carried', async () => {
  const lines: RequestLine[] = []
  await using server = await served({}, { served: (line) => void lines.push(line) })
  const headers = { 'x-correlation-id': 'c-7', 'x-secret': 'hidden-1' }
  await server.call('GET /v1/executions/run-1?at=hidden-2', { headers })
  await server.call('GET /v1/nothing/hidden-3', { as: '' })
  await expect.poll(() => lines.length).toBe(2)
  expect(lines).toEqual([
    {
      method: 'GET',
      route: '/v1/executions/:executionId',
      status: 400,
      ms: expect.any(Number),
      tenantId: 'acme',
      actorId: 'ana',
      kind: 'user',
      correlationId: 'c-7',
    },
    { method: 'GET', route: 'none', status: 404, ms: expect.any(Number), correlationId: expect.any(String) },
  ])
  expect(JSON.stringify(lines)).not.toMatch(new RegExp(`hidden|${ANA}`))
})

it('a server that stops takes nothing new, lets go of who waits, and ends what is under way', async () => {
  const gate = onceGated()
  const steps = { a: gate.step }
  await using server = await served({ steps })
  await server.publish(PLAN)
  const waiting = server.call('POST /v1/executions?mode=sync', { body: { planId: 'one' } })
  await gate.begun
  const closed = server.close()
  const answer = await waiting
  expect(answer.status).toBe(504)
  expect(answer.body.error).toMatchObject({ code: 'TIMEOUT', message: expect.stringContaining('this server stops') })
  expect(answer.headers.get('location')).toMatch(/^\/v1\/executions\//)
  expect(answer.headers.get('connection')).toBe('close')
  gate.open()
  await closed
  await expect(server.call('GET /healthz')).rejects.toThrow()
})
