/** How people log in at this server, by its settings. The library for it is loaded only where browsers log in. */
import { partsOf } from '../../../library/services-of.ts'
import type { Keelson } from '../../../library/keelson/keelson.ts'
import type { LoginClient } from '../../http/login/issuer-client.ts'
import type { BrowserLogin } from '../../http/login/browser-login.ts'
import type { LoginWays } from '../../http/login/login-ways.ts'
import { tokenReader } from '../../http/who/token-caller.ts'
import type { Oidc } from '../../http/who/oidc.ts'
import type { Config } from './config.ts'
import { loginOf, oidcOf } from './oidc-settings.ts'

export async function openLogin(config: Config, keelson: Keelson): Promise<LoginWays | undefined> {
  const [oidc, login] = [oidcOf(config), loginOf(config)]
  if (oidc === undefined || login === undefined) return undefined
  const { client, commandLine } = login
  return {
    issuer: oidc.issuer,
    ...(commandLine === undefined ? {} : { commandLine }),
    ...(client === undefined ? {} : { browser: await browserLogin(oidc, client, keelson) }),
  }
}

async function browserLogin(oidc: Oidc, client: LoginClient, keelson: Keelson): Promise<BrowserLogin> {
  const { services, keys } = partsOf(keelson)
  const { store } = services
  // Refused now and not at the first login: without keys nothing can be sealed.
  await keys.current()
  const { BrowserLogin: Opened } = await import('../../http/login/browser-login.ts')
  const now = Date.now
  return new Opened({ client, keys, store, now, read: tokenReader(oidc, { store, now }) })
}
