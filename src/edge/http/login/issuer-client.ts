/**
 * This server as a client of the OIDC issuer: the address to send a browser to, and the exchange of the code that it brings back
 * (authorization code with PKCE). The library checks state, nonce, issuer, audience and times of the answer.
 */
import * as oidc from 'openid-client'
import { LIMITS } from '../../../core/limits.ts'
import { fail } from '../../../core/problems/problem.ts'

export interface LoginClient {
  readonly issuer: string
  readonly clientId: string
  /** Absent: a public client. */
  readonly clientSecret?: string
  readonly redirectUrl: string
  readonly scopes: readonly string[]
}

/** What ties the answer of the issuer to the browser that was sent there. */
export interface Ties {
  readonly state: string
  readonly nonce: string
  readonly verifier: string
}

export interface Returned {
  readonly state: string
  readonly code?: string
  readonly iss?: string
  readonly error?: string
}

const FRESH_MS = 60 * 60_000
const FAILED_EVERY_MS = 5_000
const ASK_SECONDS = 5

export class IssuerClient {
  readonly #client: LoginClient
  readonly #elapsedMs: () => number
  #found: { readonly config: oidc.Configuration; readonly at: number } | undefined
  #finding: Promise<void> | undefined
  #askedAt = -Infinity
  #exchanges = 0

  constructor(client: LoginClient, elapsedMs: () => number) {
    this.#client = client
    this.#elapsedMs = elapsedMs
  }

  async address({ state, nonce, verifier }: Ties): Promise<string> {
    const config = await this.#config()
    const { redirectUrl, scopes } = this.#client
    return oidc.buildAuthorizationUrl(config, {
      redirect_uri: redirectUrl,
      scope: scopes.join(' '),
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).href
  }

  /** The ID token, as it came. Its signature is checked by who takes it for somebody. */
  async idToken(returned: Returned, { state, nonce, verifier }: Ties): Promise<string> {
    const config = await this.#config()
    if (this.#exchanges >= LIMITS.loginExchanges) fail('SERVER_BUSY', 'too many people log in at this moment')
    const checks = { expectedState: state, expectedNonce: nonce, pkceCodeVerifier: verifier, idTokenExpected: true }
    this.#exchanges += 1
    try {
      const tokens = await oidc.authorizationCodeGrant(config, this.#returnedTo(returned), checks)
      return tokens.id_token ?? fail('LOGIN_FAILED', 'the issuer gave no ID token')
    } catch (thrown) {
      return refused(thrown)
    } finally {
      this.#exchanges -= 1
    }
  }

  /** Where the issuer ends its own session, if it says so. */
  async logoutAddress(): Promise<string | undefined> {
    const config = this.#found?.config
    if (config?.serverMetadata().end_session_endpoint === undefined) return undefined
    return oidc.buildEndSessionUrl(config).href
  }

  #returnedTo(returned: Returned): URL {
    const url = new URL(this.#client.redirectUrl)
    for (const [name, value] of Object.entries(returned)) if (value !== undefined) url.searchParams.set(name, value)
    return url
  }

  /** Asked for once in an hour; an issuer that does not answer is not asked by everybody who comes. */
  async #config(): Promise<oidc.Configuration> {
    const now = this.#elapsedMs()
    const isFresh = this.#found !== undefined && now < this.#found.at + FRESH_MS
    if (!isFresh && (this.#finding !== undefined || now >= this.#askedAt + FAILED_EVERY_MS)) {
      this.#finding ??= this.#discover().finally(() => (this.#finding = undefined))
      await this.#finding
    }
    return this.#found?.config ?? fail('SERVER_BUSY', 'the issuer cannot be asked how to log in')
  }

  /** What was found before is used for longer when the issuer does not answer. */
  async #discover(): Promise<void> {
    this.#askedAt = this.#elapsedMs()
    const { issuer, clientId, clientSecret } = this.#client
    const proof = clientSecret === undefined ? oidc.None() : proofOf(clientSecret)
    try {
      const config = await oidc.discovery(new URL(issuer), clientId, {}, proof, {
        timeout: ASK_SECONDS,
        // An issuer without TLS is on this machine: the settings take no other.
        execute: issuer.startsWith('http:') ? [oidc.allowInsecureRequests] : [],
      })
      this.#found = { config, at: this.#elapsedMs() }
    } catch (thrown) {
      if (!isOfIssuer(thrown)) throw thrown
    }
  }
}

/** In the header, as every issuer must take it, unless this one says that it takes it in the body alone. */
function proofOf(clientSecret: string): oidc.ClientAuth {
  const [inHeader, inBody] = [oidc.ClientSecretBasic(clientSecret), oidc.ClientSecretPost(clientSecret)]
  return (server, ...rest) => {
    const { token_endpoint_auth_methods_supported: taken = ['client_secret_basic'] } = server
    return (taken.includes('client_secret_basic') ? inHeader : inBody)(server, ...rest)
  }
}

/** Errors of the library and of the network; anything else is a mistake of ours. */
function isOfIssuer(thrown: unknown): boolean {
  return (
    thrown instanceof oidc.ClientError ||
    thrown instanceof oidc.ResponseBodyError ||
    thrown instanceof oidc.AuthorizationResponseError ||
    thrown instanceof oidc.WWWAuthenticateChallengeError ||
    isUnreachable(thrown)
  )
}

const NO_ANSWER: readonly unknown[] = ['OAUTH_TIMEOUT', 'OAUTH_ABORT']

function isUnreachable(thrown: unknown): boolean {
  const { code } = thrown as { readonly code?: unknown }
  return NO_ANSWER.includes(code) || (thrown instanceof TypeError && thrown.message === 'fetch failed')
}

const WORD = /^[A-Za-z_]{1,64}$/

/** The issuer's word for what is wrong, and nothing of its texts. */
function refused(thrown: unknown): never {
  if (isUnreachable(thrown)) return fail('SERVER_BUSY', 'the issuer cannot be asked for the token')
  if (!isOfIssuer(thrown)) throw thrown
  if (thrown instanceof oidc.WWWAuthenticateChallengeError)
    return fail('LOGIN_FAILED', "the issuer does not take this server for its client: check the client's id and secret")
  const { error, code } = thrown as { readonly error?: unknown; readonly code?: unknown }
  const word = [error, code].find((one) => typeof one === 'string' && WORD.test(one))
  return fail('LOGIN_FAILED', `the issuer's answer was not taken: ${String(word ?? 'it is not one')}`)
}
