/** The service that the page about deployment makes: its files as the page prints them, on a PostgreSQL server. */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startChild } from '../fixtures/child.ts'
import { startPostgres, type PostgresServer } from '../setup/postgres.ts'
import { ensureBuilt } from './built.ts'
import { jsonLines, until, type Variables } from './command.ts'
import { blocksOf } from './guide-page.ts'
import { Reader } from './guide-reader.ts'

const files: Readonly<Record<string, string>> = Object.fromEntries(
  blocksOf('docs/guides/deployment.md').flatMap(({ orders, code }) =>
    orders.file === undefined ? [] : [[orders.file, code] as const],
  ),
)

/** `ExecStart=/usr/bin/node service.mts` and `CMD ["node", "service.mts"]`. */
const COMMANDS: readonly (readonly string[])[] = [
  (/^ExecStart=\/usr\/bin\/(.*)$/m.exec(files['orders.service'] ?? '')?.[1] ?? '').split(' '),
  JSON.parse(/^CMD (.*)$/m.exec(files['Containerfile'] ?? '')?.[1] ?? '[]') as readonly string[],
]

let server: PostgresServer
beforeAll(async () => {
  await ensureBuilt()
  server = await startPostgres()
})
afterAll(() => server.stop())

it('the service of the page drives what others queue, and ends when it is told to', async () => {
  const url = await server.createDatabase('orders')
  const reader = new Reader({ KEELSON_STORE: url, KEELSON_KEYS_DIR: 'keys' })
  reader.writes(files)
  expect((await reader.types('mkdir -m 700 keys && npx keelson store init')).code).toBe(0)
  for (const command of COMMANDS) {
    expect(command).toEqual(['node', 'service.mts'])
    const typed = await reader.types('npx keelson run plan.yaml --queue --set orderId=A-17')
    expect({ code: typed.code, stderr: typed.stderr }).toEqual({ code: 0, stderr: '' })
    const service = startChild(process.execPath, command.slice(1), { cwd: reader.folder, env: reader.env as Variables })
    const rows = async (): Promise<readonly unknown[]> =>
      jsonLines((await reader.types('npx keelson runs --json')).stdout).map((row) => row['status'])
    await until('the run completed', async () => (await rows()).every((status) => status === 'COMPLETED'))
    const ended = new Promise((resolve) => service.once('exit', (code) => resolve(code)))
    service.kill('SIGTERM')
    expect(await ended).toBe(0)
  }
  reader.leaves()
})

it('the files that the container copies are those of the page, and what npm makes', () => {
  const copied = [...(files['Containerfile'] ?? '').matchAll(/^COPY (.*) \.\/$/gm)].flatMap(([, names = '']) =>
    names.split(' '),
  )
  const made = ['package.json', 'package-lock.json', 'keelson-0.1.0.tgz']
  expect(copied.filter((name) => !made.includes(name)).toSorted()).toEqual(
    ['keelson.steps.mts', 'plan.yaml', 'service.mts'].filter((name) => name in files),
  )
})

it('the settings of the page are those that its service and the command read', () => {
  expect([...(files['orders.env'] ?? '').matchAll(/^(\w+)=/gm)].map(([, name]) => name)).toEqual([
    'KEELSON_STORE',
    'KEELSON_KEYS_DIR',
    'NODE_ENV',
  ])
})
