/** `keelson login` and `keelson logout`: a person at a server, known by the issuer that the server names. */
import { connect, type Me } from '../../../client/connect.ts'
import { fail, KeelsonError } from '../../../core/problems/problem.ts'
import { isoFromMs } from '../../../core/time.ts'
import { serverUrl } from '../files/place.ts'
import { forgetLogin, keepLogin, readLogin, serverName, type KeptLogin } from '../login/kept-login.ts'
import type { Call, Options } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import type { Terminal } from '../terminal/terminal.ts'

export async function login({ options, terminal }: Call): Promise<number> {
  const server = neededServer(options)
  const { isProtected } = await import('../login/issuer.ts')
  if (!isProtected(server)) fail('USAGE', `a token for ${server} would be sent in the clear: people log in over https`)
  const kept = await tokensFor(server, options, terminal)
  const me = await whoIs(kept)
  keepLogin(kept)
  tellDone(kept, me, options, terminal)
  return EXIT.completed
}

async function tokensFor(server: string, options: Options, terminal: Terminal): Promise<KeptLogin> {
  const { issuer, commandLine } = await connect({ url: server }).call('getLogin')
  if (commandLine === undefined)
    return fail('LOGIN_NOT_CONFIGURED', `${server} has no login for the command line: use an API key`)
  const { clientId, scopes, parameters } = commandLine
  const [{ findIssuer }, { byBrowser, byDevice }, { openBrowser }] = await Promise.all([
    import('../login/issuer.ts'),
    import('../login/log-in.ts'),
    import('../login/open-browser.ts'),
  ])
  const asking = { config: await findIssuer({ issuer, clientId }), scopes, parameters }
  const tokens = options.flag('device')
    ? await byDevice(asking, ({ url, code, urlWithCode }) => {
        if (options.json)
          terminal.json({ login: 'device', url, code, ...(urlWithCode === undefined ? {} : { urlWithCode }) })
        else tellWhere(terminal, `log in to ${server} on any device: enter the code ${code} at`, urlWithCode ?? url)
      })
    : await byBrowser(asking, (url) => {
        if (options.json) terminal.json({ login: 'browser', url })
        else tellWhere(terminal, `log in to ${server} with a browser of this machine:`, url)
        if (options.flag('open')) openBrowser(url)
      })
  return { server, issuer, clientId, parameters, ...tokens }
}

function tellWhere(terminal: Terminal, how: string, url: string): void {
  terminal.line(how)
  // Alone on its line, so that it can be copied.
  terminal.line(url)
}

/** Undefined: the server knows the person, who may not even ask that. */
async function whoIs({ server, issuer, accessToken }: KeptLogin): Promise<Me | undefined> {
  try {
    return await connect({ url: server, token: () => accessToken }).me()
  } catch (thrown) {
    if (!(thrown instanceof KeelsonError)) throw thrown
    if (thrown.code === 'AUTHZ_DENIED') return undefined
    if (thrown.code !== 'NOT_AUTHENTICATED') throw thrown
    return fail(
      'LOGIN_FAILED',
      `${issuer} gave a token that ${server} does not take: it is not for the server's audience, or names no tenant`,
    )
  }
}

function tellDone(kept: KeptLogin, me: Me | undefined, options: Options, terminal: Terminal): void {
  const { server, expiresAt, refreshToken } = kept
  const isRenewed = refreshToken !== undefined
  const until = expiresAt === undefined ? undefined : isoFromMs(expiresAt)
  if (options.json) {
    const who = me === undefined ? {} : { tenantId: me.tenantId, actorId: me.actorId, roles: me.roles }
    terminal.json({ login: 'done', server, ...who, isRenewed, ...(until === undefined ? {} : { expiresAt: until }) })
  } else {
    const who = me === undefined ? 'somebody without a role' : `${me.actorId} of ${me.tenantId}`
    const end = isRenewed ? 'until you log out or the issuer ends it' : until === undefined ? '' : `until ${until}`
    terminal.line(`logged in to ${server} as ${who} ${end}`.trimEnd())
  }
  if (process.env['KEELSON_API_KEY'] !== undefined || options.apiKeyFile !== undefined)
    terminal.errorLine('an API key is set as well: commands use the key as long as it is')
}

export async function logout({ options, terminal }: Call): Promise<number> {
  const server = neededServer(options)
  const kept = readLogin(server)
  forgetLogin(server)
  const isRevoked = kept === undefined ? false : await endedAtIssuer(kept, terminal)
  if (options.json) terminal.json({ logout: 'done', server, wasLoggedIn: kept !== undefined, isRevoked })
  else if (kept === undefined) terminal.line(`you were not logged in to ${server}`)
  else
    terminal.line(
      `logged out of ${server}${isRevoked ? '' : '; the issuer was not told, so a copy of the token is good until its end'}`,
    )
  return EXIT.completed
}

/** The login is gone from here in any case. */
async function endedAtIssuer(kept: KeptLogin, terminal: Terminal): Promise<boolean> {
  const { findIssuer, revoked } = await import('../login/issuer.ts')
  try {
    return await revoked(await findIssuer(kept), kept.refreshToken ?? kept.accessToken)
  } catch (thrown) {
    if (!(thrown instanceof KeelsonError)) throw thrown
    terminal.errorLine(thrown.message)
    return false
  }
}

function neededServer(options: Options): string {
  const url = serverUrl(options) ?? fail('USAGE', 'say which server: --server or KEELSON_SERVER')
  return serverName(url)
}
