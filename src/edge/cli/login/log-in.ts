/** A person logs in at the issuer: with a browser that comes back to this machine, or on another device with a code. */
import * as oidc from 'openid-client'
import { LIMITS } from '../../../core/limits.ts'
import { fail } from '../../../core/problems/problem.ts'
import { answered, isProtected, tokensOf, type Tokens } from './issuer.ts'
import { openReturnDoor } from './return-door.ts'

export interface Asking {
  readonly config: oidc.Configuration
  readonly scopes: readonly string[]
  readonly parameters: Readonly<Record<string, string>>
}

/** `go` is told where the person has to go. */
export async function byBrowser({ config, scopes, parameters }: Asking, go: (url: string) => void): Promise<Tokens> {
  const [state, verifier] = [oidc.randomState(), oidc.randomPKCECodeVerifier()]
  const door = await openReturnDoor(state)
  try {
    const { href } = oidc.buildAuthorizationUrl(config, {
      ...parameters,
      redirect_uri: door.address,
      scope: scopes.join(' '),
      state,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      // Without it an issuer leaves offline_access out (OpenID Connect Core, 11).
      ...(scopes.includes('offline_access') ? { prompt: 'consent' } : {}),
    })
    go(needPage(href))
    const returned = await door.returned
    const checks = { expectedState: state, pkceCodeVerifier: verifier }
    const { issuer } = config.serverMetadata()
    return tokensOf(
      await answered(issuer, () => oidc.authorizationCodeGrant(config, returned, checks, { ...parameters })),
    )
  } finally {
    door.close()
  }
}

export interface DeviceCode {
  readonly url: string
  readonly code: string
  /** The same with the code in it. */
  readonly urlWithCode?: string
}

export async function byDevice(
  { config, scopes, parameters }: Asking,
  go: (where: DeviceCode) => void,
): Promise<Tokens> {
  const { issuer, device_authorization_endpoint: endpoint } = config.serverMetadata()
  if (endpoint === undefined)
    fail('LOGIN_FAILED', `the issuer ${issuer} has no login with a device: leave --device out`)
  const asked = { ...parameters, scope: scopes.join(' ') }
  const device = await answered(issuer, () => oidc.initiateDeviceAuthorization(config, asked))
  const { verification_uri: url, user_code: code, verification_uri_complete: whole } = device
  go({ url: needPage(url), code, ...(whole === undefined ? {} : { urlWithCode: needPage(whole) }) })
  const signal = AbortSignal.timeout(LIMITS.loginWaitMs)
  const given = answered(issuer, () => oidc.pollDeviceAuthorizationGrant(config, device, { ...parameters }, { signal }))
  return tokensOf(await given)
}

/** It is shown to a person, and perhaps opened: what an issuer says must not be a file or a program. */
function needPage(url: string): string {
  return isProtected(url) ? url : fail('LOGIN_FAILED', 'the issuer names a page for logins that is not https')
}
