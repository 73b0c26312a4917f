/** An OIDC issuer that nobody here wrote (`oidc-provider`), on the loopback address: it checks PKCE, codes, clients and redirects for itself. */
import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import Provider from 'oidc-provider'

export const CLIENT = 'keelson-web'
export const CLIENT_SECRET = 'the secret of the client, 0123456789'
export const COMMAND_LINE = 'keelson-cli'
export const AUDIENCE = 'https://keelson.example/api'

/** What an account has, by its name. Nobody else can log in. */
export type Accounts = Readonly<Record<string, Readonly<Record<string, unknown>>>>

export const ACCOUNTS: Accounts = {
  ana: { tenant: 'acme', roles: ['Admin'] },
  vera: { tenant: 'acme', roles: ['viewer'] },
  nora: { roles: ['Admin'] },
  gone: { tenant: 'gone', roles: ['Admin'] },
  dora: { tenant: 'acme', roles: ['approver', 'dba', 'offline_access'] },
}

export interface TestProvider extends AsyncDisposable {
  readonly url: string
}

export interface ProviderOptions {
  /** Of the browser's client. */
  readonly redirectUris: readonly string[]
  readonly ttl?: Readonly<Record<string, number>>
}

export async function testProvider({ redirectUris, ttl = {} }: ProviderOptions): Promise<TestProvider> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const key = { ...(await exportJWK(privateKey)), kid: 'first', use: 'sig', alg: 'RS256' }
  const provider = new Provider(url, settings(redirectUris, ttl, key))
  server.on('request', provider.callback())
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function settings(redirectUris: readonly string[], ttl: Readonly<Record<string, number>>, key: object): object {
  const claimsOf = (name: string): object => ({ sub: name, ...ACCOUNTS[name] })
  return {
    clients: [
      { client_id: CLIENT, client_secret: CLIENT_SECRET, redirect_uris: redirectUris },
      {
        client_id: COMMAND_LINE,
        application_type: 'native',
        token_endpoint_auth_method: 'none',
        redirect_uris: ['http://127.0.0.1/callback'],
        grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      },
    ],
    jwks: { keys: [key] },
    cookies: { keys: ['a key of the test'] },
    claims: { openid: ['sub', 'tenant', 'roles'] },
    conformIdTokenClaims: false,
    findAccount: (_context: unknown, name: string) =>
      Object.hasOwn(ACCOUNTS, name) ? { accountId: name, claims: () => claimsOf(name) } : undefined,
    extraTokenClaims: (_context: unknown, { accountId }: { readonly accountId: string }) => ACCOUNTS[accountId],
    ttl: { AccessToken: 3_600, IdToken: 3_600, Grant: 86_400, Session: 86_400, Interaction: 3_600, ...ttl },
    features: {
      devInteractions: { enabled: true },
      deviceFlow: { enabled: true },
      revocation: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({ scope: '', audience: AUDIENCE, accessTokenFormat: 'jwt' }),
        useGrantedResource: () => true,
      },
    },
  }
}
