/** Tasks that only a specialist may complete: who is one is known by how they were recognised, and by nothing that they say. */
import { expect, it } from 'vitest'
import { until } from '../fixtures/until.ts'
import { loginServer } from './login-server.ts'
import { served, type Served } from './served.ts'

const CHECK = `
plan: check
version: 1.0.0
steps:
  - { id: ask, manual: { title: 'Look?', rule: SpecialistApproval(dba) } }
`

interface Shown {
  readonly token?: string
  readonly mayNot?: { readonly code: string }
}

async function asked(server: Pick<Served, 'call' | 'publish'>): Promise<void> {
  await server.publish(CHECK)
  expect((await server.call('POST /v1/executions', { body: { planId: 'check' } })).status).toBe(202)
}

async function taskOf({ call }: Pick<Served, 'call'>, as: string): Promise<Shown> {
  const tasks = async (): Promise<readonly Shown[]> => (await call('GET /v1/tasks', { as })).body.tasks
  await until(async () => (await tasks()).length > 0)
  return (await tasks())[0] ?? {}
}

it('a task for a specialist is shown and open to one, and to nobody who only says so [MAN-08, MAN-02]', async () => {
  await using server = await served({}, {})
  await asked(server)
  const doctor = 'acme.dora.approver+dba'
  expect((await taskOf(server, 'acme.bob.Admin')).mayNot).toMatchObject({ code: 'AUTHZ_DENIED' })
  const { token = '' } = await taskOf(server, doctor)
  const complete = async (as: string, more: object = {}): Promise<readonly unknown[]> => {
    const body = { outcome: 'Succeeded', ...more }
    const answer = await server.call(`POST /v1/tasks/${token}/complete`, { as, body })
    return [answer.status, answer.body.error?.code]
  }
  expect(await complete('acme.bob.Admin')).toEqual([403, 'AUTHZ_DENIED'])
  expect(await complete('acme.bob.Admin', { actorRoles: ['dba'] })).toEqual([400, 'BODY_INVALID'])
  expect(await complete('acme.bob.Admin', { actorUserId: 'dora' })).toEqual([403, 'AUTHZ_DENIED'])
  expect(await complete(doctor)).toEqual([200, undefined])
})

it('what the issuer calls a person beside roles of ours comes along in the session, and grants nothing [MAN-08, AUT-13]', async () => {
  await using at = await loginServer()
  const { browser } = await at.loggedIn('dora')
  const headers = { cookie: browser.cookies(), origin: at.server.url }
  const me = await at.server.call('GET /v1/me', { as: '', headers })
  expect([me.status, me.body.roles]).toEqual([200, ['approver']])
  const call: Served['call'] = (line, given = {}) => at.server.call(line, { ...given, as: '', headers })
  await at.server.publish(CHECK)
  const { browser: ana } = await at.loggedIn('ana')
  const started = await at.server.call('POST /v1/executions', {
    as: '',
    headers: { cookie: ana.cookies(), origin: at.server.url },
    body: { planId: 'check' },
  })
  expect(started.status).toBe(202)
  const { token = '' } = await taskOf({ call }, '')
  const done = await call(`POST /v1/tasks/${token}/complete`, { body: { outcome: 'Succeeded' } })
  expect(done.status).toBe(200)
})
