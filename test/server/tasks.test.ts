/** Manual tasks over HTTP: who sees them, who completes them, and what a token is good for. */
import { expect, it } from 'vitest'
import { until } from '../fixtures/until.ts'
import { ANA, BOB, EVE, served, type Served } from './served.ts'
import { testFolder } from '../fixtures/folder.ts'

const APPROVAL = `
plan: approval
version: 1.0.0
steps:
  - id: ask
    manual: { title: 'Pay?', rule: MakerChecker, evidenceSchema: { type: object, properties: { sum: { type: number } } } }
  - { id: pay, run: pay, dependsOn: [ask] }
`
const ASSIGNED = `
plan: assigned
version: 1.0.0
steps:
  - { id: ask, manual: { title: 'Look', assignees: [bob] } }
`
const steps = { pay: () => 'paid' }

interface Tasked extends Served {
  readonly run: string
  readonly token: string
  readonly tasks: (as: string) => Promise<readonly Shown[]>
  readonly complete: (as: string, body: object, token?: string) => ReturnType<Served['call']>
}

interface Shown {
  readonly token?: string
  readonly mayNot?: { readonly code: string; readonly why: string }
  readonly actionId: string
}

/** A run of Ana's whose task is open. */
async function tasked(plan = APPROVAL): Promise<Tasked> {
  const server = await served({ directory: testFolder(), steps })
  await server.publish(plan)
  const planId = plan === APPROVAL ? 'approval' : 'assigned'
  const run = (await server.call('POST /v1/executions', { body: { planId } })).body.executionId
  const tasks = async (as: string) => (await server.call('GET /v1/tasks', { as })).body.tasks as readonly Shown[]
  await until(async () => (await tasks(BOB)).length === 1)
  const token = (await tasks(BOB))[0]?.token ?? ''
  const complete: Tasked['complete'] = (as, body, given = token) =>
    server.call(`POST /v1/tasks/${given}/complete`, { as, body })
  return { ...server, run, token, tasks, complete }
}

it('shows a task with its token to who may complete it, why not to others, and nothing to another tenant [MAN-02]', async () => {
  await using server = await tasked()
  expect(await server.tasks(BOB)).toEqual([
    {
      executionId: server.run,
      planId: 'approval',
      actionId: 'ask',
      attempt: 1,
      title: 'Pay?',
      openedAt: expect.any(String),
      whoMay: expect.any(String),
      token: expect.stringMatching(/^[A-Za-z0-9_-]{100,}$/),
    },
  ])
  const [own] = await server.tasks(ANA)
  expect([own?.token, own?.mayNot?.code]).toEqual([undefined, 'AUTHZ_DENIED'])
  expect(own?.mayNot?.why).toContain('MakerChecker')
  expect(await server.tasks(EVE)).toEqual([])
  const foreign = await server.call(`GET /v1/tasks?executionId=${server.run}`, { as: EVE })
  expect([foreign.status, foreign.body.error.code]).toEqual([404, 'RUN_NOT_FOUND'])
  expect((await server.call('GET /v1/tasks', { as: 'acme.eye.viewer' })).status).toBe(403)
})

it('writes its token into no event, snapshot or list of runs [MAN-02, P-35]', async () => {
  await using server = await tasked()
  await server.complete(BOB, { outcome: 'Succeeded', result: { sum: 1 } })
  const inner = Buffer.from(server.token, 'base64url').toString().split(' ')[0] ?? ''
  expect(inner).toMatch(/\.[0-9a-f]{64}$/)
  for (const path of ['', '/events', '/snapshot', '/why']) {
    const { text } = await server.call(`GET /v1/executions/${server.run}${path}`)
    for (const secret of [server.token, inner, inner.split('.')[1] ?? '']) expect(text).not.toContain(secret)
  }
})

it('tells one task by its token, with the schema of its result and why somebody may not complete it [MAN-02, MAN-07]', async () => {
  await using server = await tasked()
  const task = async (as: string, token = server.token) => server.call(`GET /v1/tasks/${token}`, { as })
  const bobs = await task(BOB)
  expect([bobs.status, bobs.body.evidenceSchema, bobs.body.mayNot]).toEqual([
    200,
    { type: 'object', properties: { sum: { type: 'number' } } },
    undefined,
  ])
  expect((await task(ANA)).body.mayNot.code).toBe('AUTHZ_DENIED')
  for (const [as, token] of [
    [EVE, server.token],
    [BOB, 'bm9uZQ'],
    [BOB, server.token.slice(0, -1)],
  ] as const) {
    const { status, body } = await task(as, token)
    expect([status, body.error.code]).toEqual([404, 'TASK_NOT_OPEN'])
  }
})

it('takes the signal as other systems publish it, and less of it where the address says it [MAN-03, MAN-12]', async () => {
  await using server = await tasked()
  const published = {
    schemaVersion: 1,
    runId: server.run,
    actionId: 'ask',
    completionToken: server.token,
    outcome: 'Succeeded',
    actorUserId: 'bob',
    completedAtIso: '2026-01-01T00:00:00.000Z',
    notes: 'fine',
    evidenceRefs: ['ticket-1'],
  }
  const { actionId: _action, ...lacking } = published
  const bad = await server.complete(BOB, lacking)
  expect([bad.status, bad.body.error.code]).toEqual([400, 'TASK_COMPLETION_INVALID'])
  for (const other of [{ runId: 'other' }, { actionId: 'pay' }, { completionToken: 'other' }]) {
    const { status, body } = await server.complete(BOB, { ...published, ...other })
    expect([status, body.error.code]).toEqual([400, 'TASK_COMPLETION_INVALID'])
  }
  const done = await server.complete(BOB, { ...published, result: { sum: 1 } })
  expect([done.status, done.body]).toEqual([200, { kind: 'accepted', outcome: 'Succeeded' }])
  const { events } = (await server.call(`GET /v1/executions/${server.run}/events`)).body
  const completed = events.find(
    (one: { readonly eventType: string; readonly stepId?: string }) =>
      one.eventType === 'StepCompleted' && one.stepId === 'ask',
  )
  expect(completed.payload).toMatchObject({ actorId: 'bob', evidenceRefs: ['ticket-1'] })
})

it('answers a repeat with the first result, and another answer with a conflict [MAN-04, MAN-06, MAN-13]', async () => {
  await using server = await tasked()
  const first = await server.complete(BOB, { outcome: 'Succeeded', result: { sum: 1 } })
  expect(first.body.kind).toBe('accepted')
  const again = await server.complete(BOB, { outcome: 'Succeeded', result: { sum: 1 } })
  expect([again.status, again.body.kind, again.body.outcome]).toEqual([200, 'repeat', 'Succeeded'])
  const other = await server.complete(BOB, { outcome: 'Failed' })
  expect([other.status, other.body.error.code, other.body.error.details]).toEqual([
    409,
    'TASK_ANSWERED',
    { outcome: 'Succeeded' },
  ])
  expect((await server.call(`GET /v1/tasks/${server.token}`, { as: BOB })).status).toBe(404)
})

it('refuses a token of nothing, and one of another tenant, in the same words [MAN-04, MAN-05, AUT-09, AUT-10]', async () => {
  await using server = await tasked()
  const inner = Buffer.from(server.token, 'base64url').toString()
  const changed = Buffer.from(inner.replace(/[0-9a-f](?= )/, (last) => (last === '0' ? '1' : '0'))).toString(
    'base64url',
  )
  const wrong = await server.complete(BOB, { outcome: 'Succeeded' }, changed)
  const foreign = await server.complete(EVE, { outcome: 'Succeeded' })
  expect([wrong.status, wrong.body.error.code]).toEqual([404, 'TASK_NOT_OPEN'])
  expect(foreign.body.error).toEqual(wrong.body.error)
  expect((await server.tasks(BOB))[0]?.token).toBe(server.token)
})

it('lets nobody answer in another name, and asks no rule then [MAN-07]', async () => {
  await using server = await tasked()
  const { status, body } = await server.complete(ANA, { outcome: 'Succeeded', actorUserId: 'bob' })
  expect([status, body.error.code]).toEqual([403, 'AUTHZ_DENIED'])
  expect(body.error.message).toContain('in the name of')
  expect(body.error.message).not.toContain('MakerChecker')
})

it('refuses who started the run, and leaves the task open for another [MAN-07, MAN-08]', async () => {
  await using server = await tasked()
  const { status, body } = await server.complete(ANA, { outcome: 'Succeeded' })
  expect([status, body.error.code]).toEqual([403, 'AUTHZ_DENIED'])
  expect(body.error.message).toContain('MakerChecker')
  expect((await server.complete(BOB, { outcome: 'Succeeded', result: { sum: 1 } })).status).toBe(200)
  await until(async () => (await server.call(`GET /v1/executions/${server.run}`)).body.status === 'COMPLETED')
})

it('shows a task to those that it is assigned to, and refuses others [MAN-02, MAN-07]', async () => {
  await using server = await tasked(ASSIGNED)
  expect(await server.tasks(ANA)).toEqual([])
  expect((await server.call(`GET /v1/tasks/${server.token}`, { as: ANA })).body.mayNot.why).toContain('not assigned')
  const { status, body } = await server.complete(ANA, { outcome: 'Succeeded' })
  expect([status, body.error.code]).toEqual([403, 'AUTHZ_DENIED'])
  expect((await server.complete('acme.bob.approver', { outcome: 'Failed', notes: 'no' })).body).toEqual({
    kind: 'accepted',
    outcome: 'Failed',
  })
  await until(async () => (await server.call(`GET /v1/executions/${server.run}`)).body.status === 'FAILED')
})
