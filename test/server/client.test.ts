/** The typed client against a real server. */
import { expect, it } from 'vitest'
import { connect, ServerError, type Client } from '../../src/client/connect.ts'
import type { LogRecord } from '../../src/core/events/event.ts'
import { ROUTES, type RoutesById } from '../../src/core/api/routes.ts'
import { onBehalf } from '../../src/library/behalf/on-behalf.ts'
import { allOf } from './all-of.ts'
import { onceGated } from './gated-step.ts'
import { ANA, EVE, served, type Served } from './served.ts'

const GREET = `
plan: greet
version: 1.0.0
steps:
  - { id: hello, run: hello, with: { name: '\${input.name}' } }
output: { said: '\${steps.hello.output}' }
`
const ACME = { tenantId: 'acme', projectId: 'default', environmentId: 'local', actorId: 'author' }
const steps = { hello: ({ name }: { name: string }) => `hello ${name}` }
const clientOf = ({ url }: Served, apiKey = ANA): Client => connect({ url, apiKey })

it('starts a run, waits for it and gives its output [API-02, API-10]', async () => {
  await using server = await served({ steps })
  const client = clientOf(server)
  expect(await client.publish(GREET)).toMatchObject({ planId: 'greet', planVersion: '1.0.0' })
  const run = await client.start({ planId: 'greet', input: { name: 'Ana' } }, { wait: true })
  expect(await run.state()).toMatchObject({ status: 'COMPLETED', output: { said: 'hello Ana' } })
  expect(await client.me()).toMatchObject({ tenantId: 'acme', actorId: 'ana', roles: ['Admin'] })
  expect(await allOf(client.plans())).toMatchObject([{ planId: 'greet' }])
})

it('gives the handle of a run that goes on when the wait is over, and its end later [API-02, API-11]', async () => {
  const { step, begun, open } = onceGated()
  await using server = await served({ steps: { hello: step } })
  const client = clientOf(server)
  await client.publish(GREET)
  const run = await client.start({ planId: 'greet', input: { name: 'Ana' } }, { wait: 1 })
  await begun
  expect(await run.why('hello')).toMatchObject([{ kind: 'running' }])
  const ended = run.result()
  open()
  expect(await ended).toMatchObject({ status: 'COMPLETED', output: { said: 'done' } })
})

it('follows the log of a run to its end, from where it is asked to begin', async () => {
  await using server = await served({ steps })
  const client = clientOf(server)
  await client.publish(GREET)
  const run = await client.start({ planId: 'greet', input: { name: 'Ana' } })
  const records = await allOf(run.events())
  const own = await (await onBehalf(server.keelson, ACME).run(run.executionId)).records()
  expect(records).toEqual(own)
  expect((await allOf(run.events(2))).map(({ runSeq }: LogRecord) => runSeq)).toEqual(
    own.slice(2).map(({ runSeq }) => runSeq),
  )
  expect((await run.snapshot()).status).toBe('COMPLETED')
  expect((await run.snapshot(1)).status).not.toBe('COMPLETED')
})

it('lists runs page by page, newest first, and one start for one key [API-09]', async () => {
  await using server = await served({ steps })
  const client = clientOf(server)
  await client.publish(GREET)
  const what = { planId: 'greet', input: { name: 'Ana' } }
  const first = await client.start(what, { idempotencyKey: 'one' })
  const again = await client.start(what, { idempotencyKey: 'one' })
  const other = await client.start(what)
  expect(again.executionId).toBe(first.executionId)
  const listed = await allOf(client.runs({ limit: 1 }))
  expect(listed.map(({ executionId }) => executionId)).toEqual([other.executionId, first.executionId])
  expect(await allOf(clientOf(server, EVE).runs())).toEqual([])
})

it('throws the refusal of the server with its code, hint and correlation id [API-13]', async () => {
  await using server = await served({ steps })
  const client = clientOf(server)
  const refused = await client.start({ planId: 'nothing' }).catch((thrown: unknown) => thrown)
  expect(refused).toBeInstanceOf(ServerError)
  expect(refused).toMatchObject({
    code: 'PLAN_NOT_FOUND',
    serverCode: 'PLAN_NOT_FOUND',
    status: 404,
    correlationId: expect.stringMatching(/^[0-9a-f-]{36}$/),
  })
  await expect(client.call('startExecution', { body: { planid: 'x' } as never })).rejects.toMatchObject({
    code: 'BODY_INVALID',
    problems: [{ pointer: '/planid', hint: "did you mean 'planId'?" }],
  })
  await expect(client.publish('plan: x\nversion: 1\nsteps: [{ id: a, rum: b }]\n')).rejects.toMatchObject({
    code: 'PLAN_FIELD_INVALID',
    problems: [
      { at: { line: 2, column: 10 }, hint: 'put it in quotes' },
      { at: { line: 3, column: 9 } },
      { at: { line: 3, column: 18 }, hint: "did you mean 'run'?" },
    ],
  })
})

it('refuses to connect to what is no address, and to ask for what is no route', async () => {
  for (const url of ['', 'localhost:8088', 'ftp://x', 'http://ana:secret@x'])
    expect(() => connect({ url })).toThrow(/OPTION_INVALID: the url of a server is an address/)
  expect(() => connect({ url: 'http://x', apiKey: 'a', token: () => 'b' })).toThrow(/OPTION_INVALID/)
  expect(() => connect({ url: 'http://x', apikey: 'a' } as never)).toThrow(/did you mean|OPTION_UNKNOWN/)
  const client = connect({ url: 'http://127.0.0.1:9' })
  await expect(client.call('getExecutions' as 'getExecution', { params: { executionId: 'x' } })).rejects.toThrow(
    /there is no route 'getExecutions'/,
  )
  await expect(client.run('..').state()).rejects.toThrow(/OPTION_INVALID/)
})

it('every route has its own name in the client', () => {
  const names: readonly string[] = ROUTES.map(({ id }) => id)
  expect(new Set(names).size).toBe(names.length)
  const some: readonly (keyof RoutesById)[] = ['startExecution', 'getBundle', 'publishPlan', 'whoAmI']
  expect(names).toEqual(expect.arrayContaining([...some]))
})
