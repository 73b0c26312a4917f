/** An OIDC issuer on the loopback address, with keys of its own. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, SignJWT, type JWTPayload } from 'jose'

type SecretKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey']

export interface TestIssuer extends AsyncDisposable {
  readonly url: string
  /** How often its keys were asked for. */
  readonly asked: () => number
  /** From now on it answers this status; 200 is as usual. */
  answers(status: number): void
  /** A key that tokens are signed with from now on; only `publish` makes it known. */
  readonly addKey: (kid: string, algorithm: string, publish?: boolean) => Promise<void>
  readonly token: (kid: string, claims: JWTPayload, header?: object) => Promise<string>
}

export async function testIssuer(): Promise<TestIssuer> {
  const keys = new Map<string, { readonly algorithm: string; readonly secret: SecretKey }>()
  const published: object[] = []
  let asked = 0
  let status = 200
  const server = createServer((request, response) => {
    const isKeys = request.url === '/keys'
    if (isKeys) asked += 1
    const document = isKeys ? { keys: published } : { issuer: url, jwks_uri: `${url}/keys` }
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(document))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    asked: () => asked,
    answers: (next) => (status = next),
    addKey: async (kid, algorithm, publish = true) => {
      const { publicKey, privateKey } = await generateKeyPair(algorithm)
      keys.set(kid, { algorithm, secret: privateKey })
      if (publish) published.push({ ...(await exportJWK(publicKey)), kid, alg: algorithm, use: 'sig' })
    },
    token: async (kid, claims, header = {}) => {
      const key = keys.get(kid)
      if (key === undefined) throw new Error(`no key ${kid}`)
      return new SignJWT(claims).setProtectedHeader({ alg: key.algorithm, kid, ...header }).sign(key.secret)
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise<void>((resolve) => void server.close(() => resolve()))
    },
  }
}
