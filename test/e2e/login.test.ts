/** `keelson login` against a real server and an issuer that nobody here wrote, each command a process. */
import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { ownPort } from '../setup/own-port.ts'
import { Browser } from '../server/browser.ts'
import { AUDIENCE, CLIENT, CLIENT_SECRET, COMMAND_LINE, testProvider, type TestProvider } from '../server/provider.ts'
import { ensureBuilt } from './built.ts'
import { Command, folderWith, jsonLines, keelson, type Finished } from './command.ts'

beforeAll(ensureBuilt)

interface Place extends AsyncDisposable {
  readonly issuer: TestProvider
  readonly url: string
  readonly folder: string
  /** Files of logins. */
  readonly kept: () => readonly string[]
  readonly call: (...args: readonly string[]) => Promise<Finished>
  readonly begin: (...args: readonly string[]) => Command
}

const PLAN = 'plan: greet\nversion: 1.0.0\nsteps: [{ id: hello, run: hello }]\n'
const STEPS = "export const hello = () => 'hello'\n"

async function place(
  ttl: Readonly<Record<string, number>> = {},
  commandLine = `{ clientId: ${COMMAND_LINE}, audienceAs: resource }`,
): Promise<Place> {
  const port = await ownPort()
  const redirectUrl = `http://127.0.0.1:${port}/login/callback`
  const issuer = await testProvider({ redirectUris: [redirectUrl], ttl })
  const config = `
port: ${port}
auth:
  oidc:
    issuer: ${issuer.url}
    audience: ${AUDIENCE}
    login: { clientId: ${CLIENT}, clientSecretFrom: WEB_SECRET, redirectUrl: '${redirectUrl}', scopes: [openid] }
    commandLine: ${commandLine}
`
  const folder = folderWith({ 'greet.yaml': PLAN, 'keelson.steps.mjs': STEPS, 'keelson.config.yaml': config })
  const home = folderWith({})
  const server = new Command(['serve', '--json'], folder, undefined, { WEB_SECRET: CLIENT_SECRET })
  const [, url = ''] = await server.shows(/"server":"ready","url":"([^"]+)"/)
  const variables = { XDG_CONFIG_HOME: home }
  const logins = join(home, 'keelson', 'logins')
  return {
    issuer,
    url,
    folder,
    kept: () => (existsSync(logins) ? readdirSync(logins).map((name) => join(logins, name)) : []),
    call: (...args) => keelson([...args, '--server', url], folder, undefined, variables),
    begin: (...args) => new Command([...args, '--server', url], folder, undefined, variables),
    [Symbol.asyncDispose]: async () => {
      server.kill('SIGTERM')
      const { stdout, stderr } = await server.finished
      expect(stdout + stderr).not.toContain(CLIENT_SECRET)
      await issuer[Symbol.asyncDispose]()
    },
  }
}

/** Whoever logs in does so in a browser of their own. */
async function loggedIn(at: Place, name: string, browser = new Browser()): Promise<Finished> {
  const command = at.begin('login', '--json')
  const [, url = ''] = await command.shows(/"login":"browser","url":"([^"]+)"/)
  await browser.logIn(await browser.go(url), name)
  return command.finished
}

function login(at: Place): Record<string, unknown> {
  return JSON.parse(readFileSync(at.kept()[0] ?? '', 'utf8')) as Record<string, unknown>
}

it('a person logs in, commands are theirs until they log out, and only they can read the token [API-14]', async () => {
  await using at = await place()
  const before = await at.call('runs')
  expect([before.code, before.stderr]).toEqual([5, expect.stringContaining('NOT_AUTHENTICATED')])
  const command = at.begin('login')
  const [, url = ''] = await command.shows(/with a browser of this machine:\n(\S+)\n/)
  expect(new URL(url).searchParams.get('redirect_uri')).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
  const door = new URL(url).searchParams.get('redirect_uri') ?? ''
  for (const knock of [`${door}?state=another&code=x`, door, door.replace('/callback', '/')])
    expect((await fetch(knock)).status).toBe(404)
  const browser = new Browser()
  const page = await browser.logIn(await browser.go(url), 'ana')
  expect([page.status, page.text]).toEqual([200, expect.stringContaining('You can close this page')])
  const done = await command.finished
  expect([done.code, done.stderr]).toEqual([0, ''])
  expect(done.stdout).toContain(`logged in to ${at.url} as ana of acme until you log out or the issuer ends it\n`)
  const [file = ''] = at.kept()
  expect([statSync(file).mode & 0o777, statSync(join(file, '..')).mode & 0o777]).toEqual([0o600, 0o700])
  const run = await at.call('run', 'greet.yaml', '--json')
  expect([run.code, run.stderr]).toEqual([0, ''])
  const [row] = jsonLines((await at.call('runs', '--json')).stdout)
  expect(row).toMatchObject({ planId: 'greet', status: 'COMPLETED' })
  const { refreshToken } = login(at)
  const out = await at.call('logout')
  expect([out.code, out.stdout, at.kept()]).toEqual([0, `logged out of ${at.url}\n`, []])
  const body = new URLSearchParams({
    grant_type: 'refresh_token',
    client_id: COMMAND_LINE,
    refresh_token: String(refreshToken),
  })
  const renewal = await fetch(`${at.issuer.url}/token`, { method: 'POST', body })
  expect([renewal.status, await renewal.json()]).toEqual([400, expect.objectContaining({ error: 'invalid_grant' })])
  expect((await at.call('runs')).code).toBe(5)
  expect((await at.call('logout')).stdout).toBe(`you were not logged in to ${at.url}\n`)
})

it('a login is renewed before it ends, once for all commands that run at a time', async () => {
  // Shorter than a command takes for safe: each one renews, and the issuer gives a new refresh token each time.
  await using at = await place({ AccessToken: 20 })
  const done = await loggedIn(at, 'vera')
  expect(jsonLines(done.stdout).at(-1)).toEqual({
    login: 'done',
    server: at.url,
    tenantId: 'acme',
    actorId: 'vera',
    roles: ['viewer'],
    isRenewed: true,
    expiresAt: expect.any(String),
  })
  const first = login(at)
  const several = await Promise.all(['runs', 'runs', 'runs'].map((name) => at.call(name)))
  expect(several.map(({ code, stderr }) => [code, stderr])).toEqual(several.map(() => [0, '']))
  expect(login(at)['refreshToken']).not.toBe(first['refreshToken'])
  expect(at.kept()).toHaveLength(1)
})

it('a login that is over says so, and what to do', async () => {
  await using at = await place({}, `{ clientId: ${COMMAND_LINE}, audienceAs: resource, scopes: [openid] }`)
  const done = await loggedIn(at, 'ana')
  expect(jsonLines(done.stdout).at(-1)).toMatchObject({ login: 'done', isRenewed: false })
  expect((await at.call('runs')).code).toBe(0)
  const [file = ''] = at.kept()
  writeFileSync(file, JSON.stringify({ ...login(at), expiresAt: 1_700_000_000_000 }))
  const over = await at.call('runs')
  const told = `LOGIN_OVER  the login to ${at.url} is over since 2023-11-14T22:13:20.000Z; log in again: keelson login --server ${at.url}`
  expect([over.code, over.stdout, over.stderr]).toEqual([5, '', expect.stringContaining(told)])
  writeFileSync(file, JSON.stringify({ ...login(at), refreshToken: 'of somebody else' }))
  const refused = await at.call('runs')
  expect([refused.code, refused.stderr]).toEqual([5, expect.stringMatching(/LOGIN_OVER .* refuses: invalid_grant\)/)])
  chmodSync(file, 0o644)
  const open = await at.call('runs')
  expect([open.code, open.stderr]).toEqual([6, expect.stringMatching(/FILE_UNUSABLE .* is open to others/)])
})

it('a person without a browser here logs in on another device', async () => {
  await using at = await place()
  const command = at.begin('login', '--device', '--json')
  const [, url = '', code = ''] = await command.shows(/"login":"device","url":"([^"]+)","code":"([^"]+)"/)
  const browser = new Browser()
  const form = await browser.go(url)
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(form.text)?.[1] ?? ''
  const post = (more: Readonly<Record<string, string>>): Promise<{ readonly text: string; readonly url: string }> =>
    browser.go(url, { method: 'POST', body: new URLSearchParams({ xsrf, user_code: code, ...more }) })
  const confirm = await post({})
  const again = /name="xsrf" value="([^"]+)"/.exec(confirm.text)?.[1] ?? xsrf
  const page = await browser.go(url, {
    method: 'POST',
    body: new URLSearchParams({ xsrf: again, user_code: code, confirm: 'yes' }),
  })
  await browser.logIn(page, 'ana')
  const done = await command.finished
  expect([done.code, done.stderr]).toEqual([0, ''])
  expect(jsonLines(done.stdout).at(-1)).toMatchObject({ login: 'done', actorId: 'ana' })
  expect((await at.call('runs')).code).toBe(0)
})

it('a person logs in with a browser at a served folder, and starts its plans from its pages [API-14]', async () => {
  await using at = await place()
  const browser = new Browser()
  const me = await browser.logIn(await browser.go(`${at.url}/login?returnTo=/v1/me`), 'ana')
  expect([me.status, JSON.parse(me.text)]).toEqual([200, expect.objectContaining({ tenantId: 'acme', actorId: 'ana' })])
  const start = (origin: string): Promise<Response> =>
    browser.ask(`${at.url}/v1/executions?mode=sync`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin },
      body: JSON.stringify({ planId: 'greet' }),
    })
  expect((await start('https://evil.example')).status).toBe(403)
  const run = await start(at.url)
  expect([run.status, await run.json()]).toEqual([
    200,
    expect.objectContaining({ status: 'COMPLETED', triggeredBy: 'ana' }),
  ])
  const out = await browser.ask(`${at.url}/logout`, { method: 'POST', headers: { origin: at.url } })
  expect([out.status, (await browser.ask(`${at.url}/v1/me`)).status]).toEqual([200, 401])
  const { stdout } = await at.call('logout', '--json')
  expect(jsonLines(stdout)).toEqual([{ logout: 'done', server: at.url, wasLoggedIn: false, isRevoked: false }])
})

it('a token that the server does not take is not kept, and nobody logs in in the clear', async () => {
  await using at = await place()
  const nobody = await loggedIn(at, 'nora')
  expect([nobody.code, at.kept(), nobody.stdout]).toEqual([
    5,
    [],
    expect.stringContaining(`${at.issuer.url} gave a token that ${at.url} does not take`),
  ])
  expect(nobody.stdout).toContain('"LOGIN_FAILED"')
  const clear = await keelson(['login', '--server', 'http://keelson.example'], at.folder)
  expect([clear.code, clear.stderr]).toEqual([2, expect.stringContaining('would be sent in the clear')])
  expect((await keelson(['login'], at.folder)).stderr).toContain('USAGE  say which server')
})

it('the settings show where the secret of the client is, and not the secret; wrong ones are refused before anything is opened', async () => {
  const oidc = (more: string, issuer = 'https://id.example'): string =>
    `auth:\n  oidc:\n    issuer: ${issuer}\n    audience: keelson\n    ${more}\n`
  const good = "login: { clientId: web, clientSecretFrom: WEB_SECRET, redirectUrl: 'https://k.example/login/callback' }"
  const shown = await keelson(
    ['serve', '--print-config', '--json'],
    folderWith({ 'keelson.config.yaml': oidc(good) }),
    undefined,
    { WEB_SECRET: CLIENT_SECRET },
  )
  expect(shown.stdout).not.toContain(CLIENT_SECRET)
  expect(jsonLines(shown.stdout)).toContainEqual(
    expect.objectContaining({ setting: 'auth.oidc.login.clientSecretFrom', value: 'WEB_SECRET' }),
  )
  for (const [config, message] of [
    [oidc(good), 'auth.oidc.login.clientSecretFrom: the environment variable WEB_SECRET is empty'],
    [oidc('login: { clientId: web }'), 'auth.oidc.login.clientId is set, and its redirectUrl is not'],
    [
      oidc("login: { redirectUrl: 'https://k.example/login/callback' }"),
      'auth.oidc.login is set, and its clientId is not',
    ],
    [oidc("login: { clientId: web, redirectUrl: 'https://k.example/' }"), 'is the address of /login/callback'],
    [
      oidc("login: { clientId: web, redirectUrl: 'http://k.example/login/callback' }"),
      'redirectUrl is https, or the loopback',
    ],
    [oidc('commandLine: { clientId: cli, scopes: [profile] }'), 'auth.oidc.commandLine.scopes lacks openid'],
    [
      oidc('commandLine: { clientId: cli }', 'http://id.example'),
      'auth.oidc.issuer: keys of tokens are asked for over https alone',
    ],
    [
      'auth: { oidc: { commandLine: { clientId: cli } } }\n',
      'auth.oidc.commandLine is set, and auth.oidc.issuer is not',
    ],
  ] as const) {
    const refused = await keelson(['serve', '--port', '0'], folderWith({ 'keelson.config.yaml': config }))
    expect([message, refused.code, refused.stderr]).toEqual([message, 2, expect.stringContaining(message)])
  }
})
