/** The settings of an OIDC issuer as the server takes them: whose tokens count, and how people log in. What does not fit together is refused. */
import { fail } from '../../../core/problems/problem.ts'
import type { LoginClient } from '../../http/login/issuer-client.ts'
import type { CommandLineClient } from '../../http/login/login-ways.ts'
import type { Oidc } from '../../http/who/oidc.ts'
import type { Config } from './config.ts'

export function oidcOf(config: Config): Oidc | undefined {
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
  for (const [name, address] of Object.entries({ issuer, jwksUri }))
    if (address !== undefined && !isProtected(address))
      fail('CONFIG_INVALID', `auth.oidc.${name}: keys of tokens are asked for over https alone, but on this machine`)
  const claims = {
    tenant: config.get('auth.oidc.claims.tenant'),
    actor: config.get('auth.oidc.claims.actor'),
    roles: config.get('auth.oidc.claims.roles'),
  }
  const algorithms = config.get('auth.oidc.algorithms')
  if (algorithms.length === 0) fail('CONFIG_INVALID', 'auth.oidc.algorithms is empty: no token could be taken')
  return { issuer, audience, algorithms, claims, ...(jwksUri === undefined ? {} : { jwksUri }) }
}

export interface LoginSettings {
  readonly client?: LoginClient
  readonly commandLine?: CommandLineClient
}

/** Undefined: nobody logs in here. */
export function loginOf(config: Config): LoginSettings | undefined {
  const oidc = oidcOf(config)
  const client = clientOf(config, oidc)
  const commandLine = commandLineOf(config, oidc)
  if (client === undefined && commandLine === undefined) return undefined
  return { ...(client === undefined ? {} : { client }), ...(commandLine === undefined ? {} : { commandLine }) }
}

const CALLBACK = '/login/callback'

function clientOf(config: Config, oidc: Oidc | undefined): LoginClient | undefined {
  const [clientId, redirectUrl, variable] = [
    config.get('auth.oidc.login.clientId'),
    config.get('auth.oidc.login.redirectUrl'),
    config.get('auth.oidc.login.clientSecretFrom'),
  ]
  if (clientId === undefined) {
    if (redirectUrl !== undefined || variable !== undefined)
      fail('CONFIG_INVALID', 'auth.oidc.login is set, and its clientId is not')
    return undefined
  }
  if (oidc === undefined) return fail('CONFIG_INVALID', 'auth.oidc.login is set, and auth.oidc.issuer is not')
  if (redirectUrl === undefined)
    return fail('CONFIG_INVALID', 'auth.oidc.login.clientId is set, and its redirectUrl is not')
  if (!URL.canParse(redirectUrl) || !new URL(redirectUrl).pathname.endsWith(CALLBACK))
    fail('CONFIG_INVALID', `auth.oidc.login.redirectUrl is the address of ${CALLBACK}`)
  if (!isProtected(redirectUrl))
    fail('CONFIG_INVALID', 'auth.oidc.login.redirectUrl is https, or the loopback address: a session needs one of them')
  const scopes = scopesOf(config, 'auth.oidc.login.scopes')
  const clientSecret = variable === undefined ? {} : { clientSecret: secretIn(variable) }
  return { issuer: oidc.issuer, clientId, redirectUrl, scopes, ...clientSecret }
}

function commandLineOf(config: Config, oidc: Oidc | undefined): CommandLineClient | undefined {
  const clientId = config.get('auth.oidc.commandLine.clientId')
  if (clientId === undefined) return undefined
  if (oidc === undefined) return fail('CONFIG_INVALID', 'auth.oidc.commandLine is set, and auth.oidc.issuer is not')
  const name = config.get('auth.oidc.commandLine.audienceAs')
  return {
    clientId,
    scopes: scopesOf(config, 'auth.oidc.commandLine.scopes'),
    parameters: name === 'none' ? {} : { [name]: oidc.audience },
  }
}

function scopesOf(config: Config, name: 'auth.oidc.login.scopes' | 'auth.oidc.commandLine.scopes'): readonly string[] {
  const scopes = config.get(name)
  return scopes.includes('openid') ? scopes : fail('CONFIG_INVALID', `${name} lacks openid: there would be no ID token`)
}

function secretIn(variable: string): string {
  const secret = process.env[variable] ?? ''
  return secret === ''
    ? fail('CONFIG_INVALID', `auth.oidc.login.clientSecretFrom: the environment variable ${variable} is empty`)
    : secret
}

function isProtected(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || isLoopback(hostname.replaceAll(/[[\]]/g, ''))
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(?:\.\d{1,3}){3}$/.test(host)
}
