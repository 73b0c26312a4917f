/** A server at which people log in with a browser, at an issuer that nobody here wrote. */
import { ownPort } from '../setup/own-port.ts'
import { BrowserLogin } from '../../src/edge/http/login/browser-login.ts'
import { byOidc, type Oidc } from '../../src/edge/http/who/oidc.ts'
import { tokenReader } from '../../src/edge/http/who/token-caller.ts'
import { firstWho } from '../../src/edge/http/who/who-asks.ts'
import { partsOf } from '../../src/library/services-of.ts'
import { openKeelson, type Keelson, type OpenOptions } from '../../src/main.ts'
import type { SigningKeys } from '../../src/ports/signing-keys.ts'
import { Browser, type Visit } from './browser.ts'
import { AUDIENCE, CLIENT, CLIENT_SECRET, testProvider, type TestProvider } from './provider.ts'
import { served, type Served, type ServedOptions } from './served.ts'

export interface LoginServer extends AsyncDisposable {
  readonly issuer: TestProvider
  readonly server: Served
  readonly keelson: Keelson
  /** The clock of the server goes on by so much. */
  pass(ms: number): void
  /** `GET /v1/me` with these cookies: whom the server takes them for, or the code of the refusal. */
  readonly me: (cookie: string) => Promise<string>
  /** A browser in which this account has logged in. */
  readonly loggedIn: (name: string, browser?: Browser) => Promise<{ readonly browser: Browser; readonly visit: Visit }>
}

export interface LoginServerOptions {
  readonly opening?: OpenOptions
  readonly serving?: ServedOptions
  readonly ttl?: Readonly<Record<string, number>>
  readonly keys?: SigningKeys
  readonly elapsedMs?: () => number
  /** Of another server, to share it. */
  readonly issuer?: TestProvider
  readonly port?: number
  /** Of other servers that share the issuer. */
  readonly redirectUris?: readonly string[]
  readonly clientSecret?: string
  /** As browsers reach it through a proxy; default: its own address. */
  readonly redirectUrl?: string
}

export async function loginServer(options: LoginServerOptions = {}): Promise<LoginServer> {
  const port = options.port ?? (await ownPort())
  const redirectUrl = options.redirectUrl ?? `http://127.0.0.1:${port}/login/callback`
  const issuer =
    options.issuer ??
    (await testProvider({ redirectUris: [redirectUrl, ...(options.redirectUris ?? [])], ttl: options.ttl ?? {} }))
  const keelson = await openKeelson({ directory: ':memory:', ...options.opening })
  const { services, keys } = partsOf(keelson)
  const { store } = services
  let passed = 0
  const now = (): number => Date.now() + passed
  const oidc: Oidc = {
    issuer: issuer.url,
    audience: AUDIENCE,
    algorithms: ['RS256'],
    claims: { tenant: 'tenant', actor: 'sub', roles: 'roles' },
  }
  const browser = new BrowserLogin({
    client: {
      issuer: issuer.url,
      clientId: CLIENT,
      clientSecret: options.clientSecret ?? CLIENT_SECRET,
      redirectUrl,
      scopes: ['openid'],
    },
    keys: options.keys ?? keys,
    store,
    now,
    read: tokenReader(oidc, { store, now: Date.now }),
    ...(options.elapsedMs === undefined ? {} : { elapsedMs: options.elapsedMs }),
  })
  const login = { issuer: issuer.url, browser }
  const who = firstWho([byOidc(oidc, { store, now }), browser.who])
  const server = await served({}, { keelson, now, who, login, port, ...options.serving })
  return {
    issuer,
    server,
    keelson,
    pass: (ms) => (passed += ms),
    me: async (cookie) => {
      const { body } = await server.call('GET /v1/me', { as: '', headers: { cookie } })
      return body.error?.code ?? body.actorId
    },
    loggedIn: async (name, person = new Browser()) => {
      const visit = await person.logIn(await person.go(`${server.url}/login?returnTo=/v1/me`), name)
      return { browser: person, visit }
    },
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
      await keelson.close()
      if (options.issuer === undefined) await issuer[Symbol.asyncDispose]()
    },
  }
}
