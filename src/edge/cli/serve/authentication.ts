/**
 * Who may ask a server, by its configuration. Without a configured way to know callers, only this machine reaches it; with one, nobody
 * is taken for the local user unless that is said.
 */
import { fail } from '../../../core/problems/problem.ts'
import type { ApiKeyStore } from '../../../ports/api-keys.ts'
import { byApiKey } from '../../http/who/api-keys.ts'
import { byOidc, type Oidc } from '../../http/who/oidc.ts'
import { firstWho, localUser, type WhoAsks } from '../../http/who/who-asks.ts'
import type { Config } from './config.ts'

/** Refuses, before anything is opened, what would let everybody in. */
export function needAuthentication(config: Config): void {
  const oidc = oidcOf(config)
  const others = config.get('auth.keys') || oidc !== undefined
  if (!isLocal(config)) {
    if (!others)
      fail('CONFIG_INVALID', 'nobody could ask: auth.local is false, and neither auth.keys nor auth.oidc is set')
    return
  }
  const host = config.get('host')
  if (!isLoopback(host)) fail('AUTH_REQUIRED', `${host} can be reached from other machines`)
  if (config.get('trustProxy').length > 0) fail('AUTH_REQUIRED', 'requests of other machines come through a proxy')
}

export function whoOf(config: Config, store: ApiKeyStore, dev: boolean): WhoAsks {
  const now = Date.now
  const oidc = oidcOf(config)
  return firstWho([
    ...(config.get('auth.keys') ? [byApiKey({ store, now })] : []),
    ...(oidc === undefined ? [] : [byOidc(oidc, { store, now })]),
    ...(isLocal(config) ? [localUser(dev)] : []),
  ])
}

export function isLocal(config: Config): boolean {
  return config.get('auth.local') ?? !(config.get('auth.keys') || config.get('auth.oidc.issuer') !== undefined)
}

function oidcOf(config: Config): Oidc | undefined {
  const [issuer, audience, jwksUri] = [
    config.get('auth.oidc.issuer'),
    config.get('auth.oidc.audience'),
    config.get('auth.oidc.jwksUri'),
  ]
  if (issuer === undefined) {
    if (audience !== undefined) fail('CONFIG_INVALID', 'auth.oidc.audience is set, and auth.oidc.issuer is not')
    return undefined
  }
  if (audience === undefined) return fail('CONFIG_INVALID', 'auth.oidc.issuer is set, and auth.oidc.audience is not')
  const claims = {
    tenant: config.get('auth.oidc.claims.tenant'),
    actor: config.get('auth.oidc.claims.actor'),
    roles: config.get('auth.oidc.claims.roles'),
  }
  const algorithms = config.get('auth.oidc.algorithms')
  if (algorithms.length === 0) fail('CONFIG_INVALID', 'auth.oidc.algorithms is empty: no token could be taken')
  return { issuer, audience, algorithms, claims, ...(jwksUri === undefined ? {} : { jwksUri }) }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)
}
