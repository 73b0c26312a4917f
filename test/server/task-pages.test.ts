/** The open tasks of a tenant page by page: each once, whatever ends meanwhile, and no request looks at everything. */
import { expect, it } from 'vitest'
import { connect } from '../../src/client/connect.ts'
import { onBehalf } from '../../src/library/behalf/on-behalf.ts'
import { until } from '../fixtures/until.ts'
import { ANA, BOB, served, type Served } from './served.ts'

const ONE = "plan: one\nversion: 1.0.0\nsteps: [{ id: ask, manual: { title: 'Pay?' } }]\n"
const THREE = `plan: three\nversion: 1.0.0\nsteps: [${['a', 'b', 'c'].map((id) => `{ id: ${id}, dependsOn: [], manual: { title: ${id} } }`).join(', ')}]\n`
const BOBS = "plan: bobs\nversion: 1.0.0\nsteps: [{ id: ask, manual: { title: 'Look', assignees: [bob] } }]\n"
const NONE = 'plan: none\nversion: 1.0.0\nsteps: [{ id: wait, wait: { for: 1h } }]\n'

async function startedOf(server: Served, planId: string): Promise<string> {
  return (await server.call('POST /v1/executions', { body: { planId } })).body.executionId
}

const pageOf = async (server: Served, query: string) => {
  const { body } = await server.call(`GET /v1/tasks?${query}`)
  const { tasks, next } = body as {
    readonly tasks: readonly { readonly executionId: string; readonly actionId: string }[]
    readonly next?: string
  }
  return { shown: tasks.map(({ executionId, actionId }) => `${executionId}/${actionId}`), next }
}

it('each task is on one page, newest runs first, also when a run ends between two pages', async () => {
  await using server = await served()
  for (const text of [ONE, THREE, NONE]) await server.publish(text)
  const runs: string[] = []
  for (const planId of ['one', 'three', 'none', 'one', 'three', 'one']) runs.push(await startedOf(server, planId))
  const [first = '', second = '', , fourth = '', fifth = '', last = ''] = runs
  await until(async () => (await pageOf(server, '')).shown.length === 9)
  const of = (runId: string): readonly string[] => ['a', 'b', 'c'].map((id) => `${runId}/${id}`)
  const pages: string[][] = []
  let next: string | undefined
  do {
    const page = await pageOf(server, `limit=2${next === undefined ? '' : `&cursor=${next}`}`)
    pages.push([...page.shown])
    next = page.next
    if (pages.length === 1) await server.call(`POST /v1/executions/${last}/cancel`, { body: {} })
  } while (next !== undefined)
  expect(pages.flat()).toEqual([`${last}/ask`, ...of(fifth), `${fourth}/ask`, ...of(second), `${first}/ask`])
  expect(pages.every((page) => page.length <= 2)).toBe(true)
  const client = connect({ url: server.url, apiKey: ANA })
  expect(await client.tasks({ limit: 4 })).toHaveLength(4)
  const wrong = await server.call('GET /v1/tasks?cursor=bm90aGluZw')
  expect([wrong.status, wrong.body.error.code]).toEqual([400, 'LIST_CURSOR_INVALID'])
})

it('one request reads five hundred logs and no more: what lies behind them is on the next page', async () => {
  await using server = await served()
  await server.publish(ONE)
  await server.publish(BOBS)
  const mine = await startedOf(server, 'one')
  const people = { tenantId: 'acme', projectId: 'default', environmentId: 'local', actorId: 'cem' }
  const keelson = onBehalf(server.keelson, people)
  for (let n = 0; n < 510; n += 1) await keelson.start({ planId: 'bobs' })
  const newest = await pageOf(server, 'limit=1000')
  expect([newest.shown, typeof newest.next]).toEqual([[], 'string'])
  const rest = await pageOf(server, `limit=1000&cursor=${newest.next}`)
  expect(rest).toEqual({ shown: [`${mine}/ask`], next: undefined })
  expect(await connect({ url: server.url, apiKey: ANA }).tasks()).toHaveLength(1)
  expect(await connect({ url: server.url, apiKey: BOB }).tasks()).toHaveLength(511)
})
