/** `keelson serve` on Temporal: one process is asked, another one works, for a tenant with an API key; a real Temporal server between them. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { Command, folderWith, jsonLines, keelson, until, type Variables } from './command.ts'
import { apart, onTemporal, server } from './temporal-project.ts'

onTemporal()

const PLAN = `plan: add
version: 1.0.0
steps:
  - { id: add, run: add, with: { n: '\${input.n}' } }
  - { id: release, manual: { title: Release it } }
output: { sum: '\${steps.add.output}' }
`
const STEPS = 'export const add = ({ n }) => n + 1\n'

interface Told {
  readonly server: Command
  readonly url: string
}

async function serve(folder: string, duties: string, variables: Variables): Promise<Told> {
  const args = ['serve', '--port', '0', '--json', '--duties', duties]
  const started = new Command(args, folder, undefined, variables)
  const [, url = ''] = await started.shows(/"server":"ready","url":"([^"]+)"/)
  return { server: started, url }
}

it('serves runs of a tenant on Temporal, as its configuration says; a process that only asks starts them too', async () => {
  const folder = folderWith({ 'add.yaml': PLAN, 'keelson.steps.mjs': STEPS })
  const { TEMPORAL_ADDRESS: address, TEMPORAL_TASK_QUEUE: taskQueue } = apart()
  const settings = { engine: 'temporal', auth: { keys: true }, temporal: { address, taskQueue, tenants: ['acme'] } }
  writeFileSync(join(folder, 'keelson.config.json'), JSON.stringify(settings))
  const made = await keelson(['keys', 'create', '--tenant', 'acme', '--role', 'Admin', '--json'], folder)
  const key = String(jsonLines(made.stdout)[0]?.['key'])
  const works = await serve(folder, 'engine,followers', {})
  const asked = await serve(folder, 'api,clockwork', {})
  const ask = async (method: string, path: string, body?: object, url = asked.url): Promise<never> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const answer = await fetch(`${url}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
    return (await answer.json()) as never
  }
  await until('the engine is ready', async () => {
    const { duties } = (await ask('GET', '/readyz', undefined, works.url)) as { duties: { engine: { ok: boolean } } }
    return duties.engine.ok
  })
  const { executionId } = (await ask('POST', '/v1/executions', { planId: 'add', input: { n: 41 } })) as {
    executionId: string
  }
  const token = await until('the task is there', async () => {
    const { tasks } = (await ask('GET', `/v1/tasks?executionId=${executionId}`)) as { tasks: { token: string }[] }
    return tasks[0]?.token
  })
  await ask('POST', `/v1/tasks/${token}/complete`, { outcome: 'Succeeded' })
  const ended = await until('it has ended', async () => {
    const run = (await ask('GET', `/v1/executions/${executionId}`)) as { status: string; completedAt?: string }
    return run.completedAt === undefined ? undefined : run
  })
  expect(ended).toMatchObject({ status: 'COMPLETED', engine: 'temporal', output: { sum: 42 } })
  const listed = (): string => server.command('workflow', 'list', '--query', "tenantId = 'acme'", '--output', 'json')
  await until('Temporal shows it', () => listed().includes(executionId))
  for (const one of [works, asked]) {
    one.server.kill('SIGTERM')
    expect(await one.server.finished).toMatchObject({ code: 0, stderr: '' })
  }
})

it('is not ready for its duty engine while Temporal does not answer, and still answers', async () => {
  const folder = folderWith({ 'add.yaml': PLAN, 'keelson.steps.mjs': STEPS })
  const { server: process, url } = await serve(folder, 'api,engine', {
    KEELSON_ENGINE: 'temporal',
    TEMPORAL_ADDRESS: '127.0.0.1:9',
  })
  const answer = await fetch(`${url}/readyz`)
  const { duties } = (await answer.json()) as { readonly duties: Readonly<Record<string, unknown>> }
  expect(answer.status).toBe(503)
  expect(duties).toMatchObject({ api: { ok: true }, engine: { ok: false, why: expect.any(String) as string } })
  process.kill('SIGTERM')
  expect((await process.finished).code).toBe(0)
})
