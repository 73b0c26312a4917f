/** `keelson serve` as a process: keys, settings, who may bind, the log, and how it ends. */
import { request } from 'node:http'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { startPostgres } from '../setup/postgres.ts'
import { ensureBuilt } from './built.ts'
import { Command, folderWith, jsonLines, keelson, linesOf, sideLines, until, type Variables } from './command.ts'

beforeAll(ensureBuilt)

const GREET = `
plan: greet
version: 1.0.0
steps:
  - { id: hello, run: hello, with: { name: '\${input.name}' } }
output: { said: '\${steps.hello.output}' }
`
const SLOW = `
plan: slow
version: 1.0.0
steps:
  - { id: wait, run: wait }
`
const STEPS = `
import { appendFileSync, existsSync } from 'node:fs'
export const hello = ({ name }) => 'hello ' + name
export const wait = async (_input, { signal }) => {
  appendFileSync('side.txt', 'begun\\n')
  while (!existsSync('open')) {
    if (signal.aborted) throw signal.reason
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return 'done'
}
`

const FILES = { 'greet.yaml': GREET, 'slow.yaml': SLOW, 'keelson.steps.mjs': STEPS }

interface Started {
  readonly server: Command
  readonly url: string
}

async function start(folder: string, args: readonly string[] = [], variables: Variables = {}): Promise<Started> {
  const server = new Command(['serve', '--port', '0', '--json', ...args], folder, undefined, variables)
  const [, url = ''] = await server.shows(/"server":"ready","url":"([^"]+)"/)
  return { server, url }
}

async function newKey(
  folder: string,
  ...args: readonly string[]
): Promise<{ readonly key: string; readonly keyId: string }> {
  const made = await keelson(['keys', 'create', '--json', ...args], folder)
  expect(made.code, made.stdout + made.stderr).toBe(0)
  return jsonLines(made.stdout)[0] as unknown as { key: string; keyId: string }
}

const asking = (key?: string): Record<string, string> => (key === undefined ? {} : { authorization: `Bearer ${key}` })

async function me(url: string, key?: string): Promise<{ readonly status: number; readonly text: string }> {
  const answer = await fetch(`${url}/v1/me`, { headers: { ...asking(key), 'x-correlation-id': 'c-1' } })
  return { status: answer.status, text: (await answer.text()).replace(/"timestamp":"[^"]+"/, '') }
}

function post(url: string, body: object, key?: string): Promise<Response> {
  const headers = { 'content-type': 'application/json', ...asking(key) }
  return fetch(`${url}/v1/executions?mode=sync`, { method: 'POST', headers, body: JSON.stringify(body) })
}

it('serves a folder without configuration to this machine alone [API-15]', async () => {
  const folder = folderWith(FILES)
  const { server, url } = await start(folder)
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
  expect(JSON.parse((await me(url)).text)).toMatchObject({ tenantId: 'local', actorId: 'local', kind: 'local' })
  const run = await post(url, { planId: 'greet', input: { name: 'Ana' } })
  expect([run.status, await run.json()]).toEqual([200, expect.objectContaining({ output: { said: 'hello Ana' } })])
  const open = await keelson(['serve', '--host', '0.0.0.0', '--port', '0'], folder)
  expect(open).toMatchObject({ code: 2, stdout: '' })
  expect(open.stderr).toContain('AUTH_REQUIRED  0.0.0.0 can be reached from other machines')
  const taken = await keelson(['serve', '--port', new URL(url).port], folder)
  expect(taken.code).toBe(6)
  expect(taken.stderr).toContain('ADDRESS_UNUSABLE')
  const unknown = await keelson(['serve', '--duties', 'api,cooking'], folder)
  expect(unknown.code).toBe(2)
  expect(unknown.stderr).toContain('CONFIG_INVALID')
  server.kill('SIGINT')
  const { code, stdout } = await server.finished
  expect(code).toBe(0)
  expect(jsonLines(stdout).at(-1)).toEqual({ server: 'stopped' })
})

it('knows callers by keys that the command made, and refuses all that it unmade with the same words [AUT-09, AUT-10]', async () => {
  const folder = folderWith({ ...FILES, 'keelson.config.yaml': 'auth: { keys: true }\nhosts: [keelson.internal]\n' })
  const good = await newKey(folder, '--tenant', 'acme', '--role', 'Operator', '--actor', 'robot', '--name', 'night job')
  const revoked = await newKey(folder, '--tenant', 'acme', '--role', 'viewer', '--expires', '90d')
  const orphan = await newKey(folder, '--tenant', 'gone', '--role', 'viewer')
  const { server, url } = await start(folder)
  expect(JSON.parse((await me(url, good.key)).text)).toMatchObject({
    tenantId: 'acme',
    actorId: 'robot',
    kind: 'key',
    roles: ['Operator'],
    displayName: 'night job',
  })
  const run = await post(url, { planId: 'greet', input: { name: 'robot' } }, good.key)
  expect([run.status, await run.json()]).toEqual([200, expect.objectContaining({ triggeredBy: 'robot' })])
  expect((await me(url, orphan.key)).status).toBe(200)
  expect((await keelson(['keys', 'revoke', revoked.key], folder)).stdout).toMatch(
    new RegExp(`^${revoked.keyId} of acme is revoked since `),
  )
  expect((await keelson(['tenants', 'delete', 'gone', '--yes'], folder)).code).toBe(0)
  const unknown = await me(url, `kls_${'0'.repeat(16)}_${'0'.repeat(64)}`)
  expect(unknown.status).toBe(401)
  for (const key of [undefined, revoked.key, orphan.key]) expect(await me(url, key)).toEqual(unknown)
  const listed = jsonLines((await keelson(['keys', 'list', '--json'], folder)).stdout)
  expect(listed.map(({ keyId, tenantId }) => [keyId, tenantId])).toEqual([
    [good.keyId, 'acme'],
    [revoked.keyId, 'acme'],
    [orphan.keyId, 'gone'],
  ])
  expect(listed[0]).toMatchObject({ actorId: 'robot', lastUsedAt: expect.any(String), displayName: 'night job' })
  expect(JSON.stringify(listed)).not.toMatch(/ecret/)
  server.kill('SIGTERM')
  const { stdout, stderr } = await server.finished
  const first = jsonLines(stdout).find(({ log }) => log === 'request')
  expect(first).toMatchObject({ method: 'GET', route: '/v1/me', status: 200, tenantId: 'acme', actorId: 'robot' })
  for (const { key } of [good, revoked, orphan]) expect(stdout + stderr).not.toContain(key.split('_')[2])
})

it('commands of keys say what is wrong', async () => {
  const folder = folderWith({})
  const fails = async (...args: readonly string[]): Promise<string> => {
    const { code, stderr } = await keelson(args, folder)
    return `${code} ${linesOf(stderr)[0] ?? ''}`
  }
  expect(await fails('keys', 'create', '--role', 'viewer')).toBe('2 USAGE  --tenant is missing: whose key is it?')
  expect(await fails('keys', 'create', '--tenant', 'acme')).toMatch(/^2 USAGE {2}--role is missing/)
  expect(await fails('keys', 'create', '--tenant', 'acme', '--role', 'viewr')).toMatch(/did you mean 'viewer'\?/)
  expect(await fails('keys', 'create', '--tenant', 'a', '--role', 'viewer', '--expires', '2001-01-01')).toMatch(
    /^2 USAGE {2}--expires 2001-01-01 is over already/,
  )
  expect(await fails('keys', 'list')).toMatch(/^6 STORE_NOT_FOUND/)
  await newKey(folder, '--tenant', 'acme', '--role', 'viewer')
  expect(await fails('keys', 'revoke', 'nothing')).toMatch(/^2 KEY_NOT_FOUND/)
  expect(await fails('tenants', 'delete', 'nobody', '--yes')).toMatch(/^2 TENANT_NOT_FOUND/)
  expect(await fails('tenants', 'delete', 'acme')).toMatch(/^2 USAGE .*nobody can be asked here: say --yes/)
  expect((await keelson(['tenants', 'delete', 'acme', '--yes'], folder)).code).toBe(0)
  expect(await fails('keys', 'create', '--tenant', 'acme', '--role', 'viewer')).toMatch(/^2 TENANT_NOT_FOUND/)
  expect(jsonLines((await keelson(['tenants', 'list', '--json'], folder)).stdout)).toEqual([
    { tenantId: 'acme', createdAt: expect.any(String), deletedAt: expect.any(String) },
  ])
})

it('keys and runs are on PostgreSQL where the settings say so', async () => {
  const postgres = await startPostgres()
  try {
    const store = await postgres.createDatabase('serve_keys')
    const folder = folderWith({ ...FILES, 'keelson.config.yaml': 'auth: { keys: true }\nlog: off\n' })
    writeFileSync(join(folder, 'settings.yaml'), `store: ${store}\nauth: { keys: true }\n`)
    const shown = await keelson(['serve', '--print-config', '--json', '--config', 'settings.yaml'], folder)
    const rows = jsonLines(shown.stdout)
    const { hostname, port } = new URL(store)
    expect(rows.find(({ setting }) => setting === 'store')).toMatchObject({
      value: `postgres ${hostname}:${port}/serve_keys`,
      from: 'settings.yaml',
      variable: 'KEELSON_STORE',
    })
    const { key } = await newKey(folder, '--tenant', 'acme', '--role', 'Operator', '--config', 'settings.yaml')
    const unsigned = await keelson(['serve', '--port', '0'], folder, undefined, { KEELSON_STORE: store })
    expect([unsigned.code, unsigned.stdout]).toEqual([6, ''])
    expect(unsigned.stderr).toMatch(/^KEYS_NOT_CONFIGURED {2}what the callers .* audit log.*\n.*--keys-dir/)
    mkdirSync(join(folder, 'keys'), { mode: 0o700 })
    const { server, url } = await start(folder, ['--keys-dir', 'keys'], { KEELSON_STORE: store })
    const run = await post(url, { planId: 'greet', input: { name: 'Ana' } }, key)
    expect([run.status, await run.json()]).toEqual([200, expect.objectContaining({ status: 'COMPLETED' })])
    server.kill('SIGTERM')
    expect((await server.finished).code).toBe(0)
  } finally {
    await postgres.stop()
  }
})

it('a wrong setting is told at its place, and nothing is started', async () => {
  const folder = folderWith({ ...FILES, 'keelson.config.yaml': 'port: 1\nlimits:\n  ratePerMinut: { tenant: 5 }\n' })
  const { code, stdout, stderr } = await keelson(['serve'], folder)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain("keelson.config.yaml:3:3  CONFIG_INVALID  there is no setting 'limits.ratePerMinut'")
  expect(stderr).toContain("did you mean 'ratePerMinute'?")
})

it('stops with a step at work, gives its runs back, and another process ends them', async () => {
  const folder = folderWith(FILES)
  const { server, url } = await start(folder)
  const waiting = post(url, { planId: 'slow' })
  await until('the step is at work', () => sideLines(folder).length === 1)
  server.kill('SIGTERM')
  const answer = await waiting
  expect(answer.status).toBe(504)
  const location = answer.headers.get('location') ?? ''
  expect((await server.finished).code).toBe(0)
  writeFileSync(join(folder, 'open'), '')
  const next = await start(folder)
  const status = async (): Promise<string> =>
    ((await (await fetch(`${next.url}${location}`)).json()) as { status: string }).status
  await until('the run has ended', async () => (await status()) === 'COMPLETED')
  next.server.kill('SIGTERM')
  expect((await next.server.finished).code).toBe(0)
})

it('in development a plan and its functions that are saved are served at once, and one with problems is not', async () => {
  const folder = folderWith({ 'greet.yaml': GREET, 'keelson.steps.mjs': STEPS })
  const server = new Command(['dev', '--port', '0', '--json'], folder)
  const [, url = ''] = await server.shows(/"server":"ready","url":"([^"]+)"/)
  const said = async (): Promise<unknown> =>
    ((await (await post(url, { planId: 'greet', input: { name: 'Ana' } })).json()) as { output?: unknown }).output
  expect(await said()).toEqual({ said: 'hello Ana' })
  writeFileSync(join(folder, 'keelson.steps.mjs'), STEPS.replace("'hello '", "'ahoy '"))
  await until('the new function is called', async () => JSON.stringify(await said()) === '{"said":"ahoy Ana"}')
  writeFileSync(join(folder, 'greet.yaml'), GREET.replace('output: { said:', 'output: { told:'))
  await until('the new plan is run', async () => JSON.stringify(await said()) === '{"told":"ahoy Ana"}')
  writeFileSync(join(folder, 'greet.yaml'), GREET.replace('run: hello', 'runn: hello'))
  await server.shows(/INVALID_STEP_SCHEMA/)
  expect(await said()).toEqual({ told: 'ahoy Ana' })
  server.kill('SIGINT')
  expect((await server.finished).code).toBe(0)
})

it('a second signal ends it at once', async () => {
  const folder = folderWith(FILES)
  const { server, url } = await start(folder)
  // A request whose body never comes holds the server for its time.
  const hanging = request(`${url}/v1/executions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'content-length': '10' },
  })
  hanging.on('error', () => undefined)
  hanging.write('{')
  await until('it is under way', async () => (await me(url)).status === 200)
  server.kill('SIGTERM')
  await server.shows(/"server":"stopping"/)
  server.kill('SIGTERM')
  const { code, stdout } = await server.finished
  expect(code).toBeNull()
  expect(stdout).not.toContain('"server":"stopped"')
  hanging.destroy()
})

it.each([
  ['--log json', ['--log', 'json'], true],
  ['--json --log off', ['--json', '--log', 'off'], false],
])('with %s every line is JSON, from the first to the last [OBS-08]', async (_name, args, hasRequests) => {
  const folder = folderWith(FILES)
  const server = new Command(['serve', '--port', '0', ...args], folder)
  const [, url = ''] = await server.shows(/"url":"([^"]+)"/)
  expect((await fetch(`${url}/v1/me`)).status).toBe(200)
  server.kill('SIGTERM')
  const lines = jsonLines((await server.finished).stdout)
  expect(lines.flatMap(({ server: told }) => (told === undefined ? [] : [told]))).toEqual([
    'ready',
    'stopping',
    'stopped',
  ])
  const requests = lines.filter(({ log }) => log === 'request')
  expect(requests).toEqual(hasRequests ? [expect.objectContaining({ route: '/v1/me', status: 200 })] : [])
})
