/** The command line as a client of the issuer that a server names: found, asked for tokens, told that one is no longer needed. */
import * as oidc from 'openid-client'
import { fail } from '../../../core/problems/problem.ts'

export interface IssuerOf {
  readonly issuer: string
  readonly clientId: string
}

export interface Tokens {
  readonly accessToken: string
  readonly refreshToken?: string
  /** Epoch milliseconds. */
  readonly expiresAt?: number
}

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/
const ASK_SECONDS = 15

/** Over TLS, or on this machine. */
export function isProtected(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))
}

export async function findIssuer({ issuer, clientId }: IssuerOf): Promise<oidc.Configuration> {
  if (!isProtected(issuer)) fail('LOGIN_FAILED', `the server names ${issuer} as its issuer, which is not https`)
  return answered(issuer, () =>
    oidc.discovery(new URL(issuer), clientId, {}, oidc.None(), {
      timeout: ASK_SECONDS,
      execute: issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : [],
    }),
  )
}

export async function renewed(
  config: oidc.Configuration,
  refreshToken: string,
  parameters: Readonly<Record<string, string>>,
): Promise<Tokens> {
  const { issuer } = config.serverMetadata()
  const given = await answered(issuer, () => oidc.refreshTokenGrant(config, refreshToken, { ...parameters }))
  return { refreshToken, ...tokensOf(given) }
}

/** False: the issuer takes no such word. */
export async function revoked(config: oidc.Configuration, token: string): Promise<boolean> {
  const { issuer, revocation_endpoint: endpoint } = config.serverMetadata()
  if (endpoint === undefined) return false
  await answered(issuer, () => oidc.tokenRevocation(config, token))
  return true
}

export function tokensOf(given: oidc.TokenEndpointResponse): Tokens {
  const { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds } = given
  return {
    accessToken,
    ...(refreshToken === undefined ? {} : { refreshToken }),
    ...(seconds === undefined ? {} : { expiresAt: Date.now() + seconds * 1_000 }),
  }
}

/** What is wrong in words: the issuer's own word, or that it does not answer. */
export async function answered<T>(issuer: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask()
  } catch (thrown) {
    const { error, code, message } = thrown as Readonly<Record<'error' | 'code' | 'message', unknown>>
    const isAway = code === 'OAUTH_TIMEOUT' || (thrown instanceof TypeError && message === 'fetch failed')
    if (isAway) return fail('SERVER_UNREACHABLE', `the issuer ${issuer} does not answer`)
    if (typeof error === 'string') return fail('LOGIN_FAILED', `the issuer ${issuer} refuses: ${error}`)
    if (thrown instanceof oidc.ClientError)
      return fail('LOGIN_FAILED', `the answer of the issuer ${issuer} was not taken: ${thrown.message}`)
    throw thrown
  }
}
