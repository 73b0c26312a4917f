/**
 * Who may ask a server, by its configuration. Without a configured way to know callers, only this machine reaches it; with one, nobody
 * is taken for the local user unless that is said.
 */
import { parseRange } from '../../../core/egress/ip-address.ts'
import { fail } from '../../../core/problems/problem.ts'
import type { ApiKeyStore } from '../../../ports/api-keys.ts'
import type { LoginWays } from '../../http/login/login-ways.ts'
import { byApiKey } from '../../http/who/api-keys.ts'
import { byOidc } from '../../http/who/oidc.ts'
import { firstWho, localUser, type WhoAsks } from '../../http/who/who-asks.ts'
import type { Config } from './config.ts'
import { isLoopback, loginOf, oidcOf } from './oidc-settings.ts'

/** Refuses, before anything is opened, what would let everybody in, or leave no trace of who was. */
export function needAuthentication(config: Config): void {
  needProxies(config)
  const oidc = oidcOf(config)
  loginOf(config)
  const others = config.get('auth.keys') || oidc !== undefined
  // In the state folder they are by themselves.
  const { store, keys } = config.place
  if (others && store !== undefined && keys === undefined)
    fail('KEYS_NOT_CONFIGURED', 'what the callers of this server do is signed in its audit log, and it has no keys')
  if (!isLocal(config)) {
    if (!others)
      fail('CONFIG_INVALID', 'nobody could ask: auth.local is false, and neither auth.keys nor auth.oidc is set')
    return
  }
  const host = config.get('host')
  if (!isLoopback(host)) fail('AUTH_REQUIRED', `${host} can be reached from other machines`)
  if (config.get('trustProxy').length > 0) fail('AUTH_REQUIRED', 'requests of other machines come through a proxy')
}

const NAMED_RANGES = ['loopback', 'linklocal', 'uniquelocal']

/** An address, a range such as 10.0.0.0/8, or a word for one. */
function needProxies(config: Config): void {
  for (const proxy of config.get('trustProxy'))
    if (parseRange(proxy) === undefined && !NAMED_RANGES.includes(proxy))
      fail('CONFIG_INVALID', `trustProxy: '${proxy}' is no address and no range such as 10.0.0.0/8`)
}

/** `login`: as `openLogin` made it. */
export function whoOf(config: Config, store: ApiKeyStore, login: LoginWays | undefined, dev: boolean): WhoAsks {
  const now = Date.now
  const oidc = oidcOf(config)
  return firstWho([
    ...(config.get('auth.keys') ? [byApiKey({ store, now })] : []),
    ...(oidc === undefined ? [] : [byOidc(oidc, { store, now })]),
    ...(login?.browser === undefined ? [] : [login.browser.who]),
    ...(isLocal(config) ? [localUser(dev)] : []),
  ])
}

export function isLocal(config: Config): boolean {
  return config.get('auth.local') ?? !(config.get('auth.keys') || config.get('auth.oidc.issuer') !== undefined)
}
