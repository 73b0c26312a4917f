/** The types of the table of routes reach whoever calls them: what fits compiles, what does not is refused by the compiler. */
import { expect, it } from 'vitest'
import { typeCheck } from '../fixtures/type-check.ts'

const PRELUDE = `
import { connect, type Execution } from 'keelson/client'
const client = connect({ url: 'http://127.0.0.1:8088', apiKey: 'kls_x' })
const id = 'x'
`

const GOOD = `
const run: Execution = await client.start({ planId: 'greet', input: { name: 'Ana' } }, { wait: 5, idempotencyKey: 'k' })
const { status } = await run.state()
const known: 'PENDING' | 'APPROVED' | 'RUNNING' | 'PAUSED' | 'COMPLETED' | 'FAILED' | 'CANCELLED' = status
const { events, next } = await client.call('listEvents', { params: { executionId: id }, query: { after: 3 } })
const seq: number = next
const { headers, body } = await client.ask('whoAmI')
const who: string = body.actorId
await client.complete('token', { outcome: 'Succeeded', notes: 'seen' })
for await (const { planId } of client.plans()) planId.toUpperCase()
`

const BAD: Readonly<Record<string, string>> = {
  'a route that there is not': `await client.call('getExecutionz')`,
  'a missing parameter': `await client.call('getExecution')`,
  'another parameter': `await client.call('getExecution', { params: { runId: id } })`,
  'a field that the body has not': `await client.start({ planid: 'greet' })`,
  'a body for a route without one': `await client.call('whoAmI', { body: {} })`,
  'a query of another kind': `await client.call('listEvents', { params: { executionId: id }, query: { after: '3' } })`,
  'an outcome that there is not': `await client.complete('token', { outcome: 'Done' })`,
  'a field that the answer has not': `(await client.me()).tenant.toUpperCase()`,
  'a signal that there is not': `await client.run(id).signal('STOP')`,
}

it('what a route takes and gives is known to the compiler', () => {
  const pieces = Object.fromEntries([
    ['test/good.ts', PRELUDE + GOOD],
    ...Object.values(BAD).map((code, at) => [`test/bad-${at}.ts`, PRELUDE + code]),
  ]) as Readonly<Record<string, string>>
  const complaints = typeCheck(pieces)
  expect(complaints['test/good.ts']).toBeUndefined()
  for (const [at, name] of Object.keys(BAD).entries()) expect(complaints[`test/bad-${at}.ts`]?.length, name).toBe(1)
})
