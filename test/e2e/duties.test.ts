/** The duties of a server in processes of their own, on one SQLite file and on one PostgreSQL: one asks, another drives. */
import { beforeAll, expect, it } from 'vitest'
import { startPostgres } from '../setup/postgres.ts'
import { ensureBuilt } from './built.ts'
import { Command, folderWith, sideLines, until, type Variables } from './command.ts'

beforeAll(ensureBuilt)

const PLAN = 'plan: slow\nversion: 1.0.0\nsteps: [{ id: work, run: work }]\n'
const STEPS = `
import { appendFileSync } from 'node:fs'
export const work = async () => {
  appendFileSync('side.txt', process.pid + '\\n')
  await new Promise((resolve) => setTimeout(resolve, 20))
}
`
const FILES = { 'slow.yaml': PLAN, 'keelson.steps.mjs': STEPS }

interface Started {
  readonly server: Command
  readonly url: string
  readonly pid: string
}

async function start(folder: string, duties: string, variables: Variables = {}): Promise<Started> {
  const args = ['serve', '--port', '0', '--json', '--duties', duties]
  const server = new Command(args, folder, undefined, variables)
  const [, url = ''] = await server.shows(/"server":"ready","url":"([^"]+)"/)
  const [, pid = ''] = await server.shows(/"pid":(\d+)/)
  return { server, url, pid }
}

async function ask(url: string, method: string, path: string, body?: object): Promise<{ status: number; body: never }> {
  const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  const answer = await fetch(`${url}${path}`, { method, ...sent })
  return { status: answer.status, body: (await answer.json()) as never }
}

interface Listed {
  readonly executions: readonly { readonly status: string }[]
}

const statuses = async (url: string): Promise<readonly string[]> =>
  ((await ask(url, 'GET', '/v1/executions?limit=100')).body as Listed).executions.map(({ status }) => status)

const dutiesOf = async (url: string): Promise<readonly string[]> =>
  Object.keys(((await ask(url, 'GET', '/readyz')).body as { readonly duties: object }).duties)

async function stopped(...all: readonly Started[]): Promise<void> {
  for (const { server } of all) server.kill('SIGINT')
  for (const { server } of all) expect((await server.finished).code).toBe(0)
}

it('starts runs in a process without an engine, and another process of the same file drives them', async () => {
  const folder = folderWith(FILES)
  const api = await start(folder, 'api')
  const engine = await start(folder, 'engine,clockwork')
  expect(await dutiesOf(api.url)).toEqual(['store', 'api'])
  expect(await dutiesOf(engine.url)).toEqual(['store', 'engine', 'clockwork'])
  expect((await ask(engine.url, 'GET', '/v1/executions')).status).toBe(404)
  expect((await ask(api.url, 'POST', '/v1/executions', { planId: 'slow' })).status).toBe(202)
  expect((await ask(api.url, 'POST', '/v1/executions', { planId: 'slow', queue: true })).status).toBe(202)
  await until('both to end', async () => (await statuses(api.url)).every((status) => status === 'COMPLETED'))
  expect(sideLines(folder)).toEqual([engine.pid, engine.pid])
  await stopped(api, engine)
})

it('starts each of 50 queued runs once with two clockworks on one PostgreSQL, never more than the limit at once [BPQ-05]', async () => {
  const database = await startPostgres()
  const variables = { KEELSON_STORE: await database.createDatabase('duties') }
  const folder = folderWith(FILES)
  const api = await start(folder, 'api', variables)
  expect((await ask(api.url, 'PUT', '/v1/limits/tenant', { maxRunning: 3 })).status).toBe(200)
  for (let n = 0; n < 50; n += 1) await ask(api.url, 'POST', '/v1/executions', { planId: 'slow', input: { n } })
  const before = await statuses(api.url)
  expect([before.filter((one) => one === 'RUNNING').length, before.filter((one) => one === 'PENDING').length]).toEqual([
    3, 47,
  ])
  const [one, two] = [
    await start(folder, 'engine,clockwork', variables),
    await start(folder, 'engine,clockwork', variables),
  ]
  let most = 0
  await until('all to end', async () => {
    const now = await statuses(api.url)
    most = Math.max(most, now.filter((status) => status === 'RUNNING').length)
    return now.every((status) => status === 'COMPLETED')
  })
  expect(most).toBeLessThanOrEqual(3)
  expect(sideLines(folder)).toHaveLength(50)
  await stopped(api, one, two)
  await database.stop()
})
