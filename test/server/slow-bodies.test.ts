/** Who is no longer known does nothing more, also not by a request that was half sent when that came to be. */
import { once } from 'node:events'
import { expect, it } from 'vitest'
import { byApiKey } from '../../src/edge/http/who/api-keys.ts'
import { firstWho } from '../../src/edge/http/who/who-asks.ts'
import { servicesOf } from '../../src/library/services-of.ts'
import { openKeelson } from '../../src/main.ts'
import { rawConnection, rawRequest } from './raw-socket.ts'
import { served } from './served.ts'

it('a key that is revoked while the body is on its way makes no other key, and one that is not does [AUT-09]', async () => {
  const keelson = await openKeelson({ directory: ':memory:' })
  const { store } = servicesOf(keelson)
  await using maker = await served({}, { keelson })
  const byKey = byApiKey({ store, now: Date.now })
  let looks = 0
  const who = firstWho([(credentials) => ((looks += 1), byKey(credentials))])
  await using server = await served({}, { keelson, who, limits: { slowBodyMs: 0 } })
  const text = JSON.stringify({ roles: ['viewer'] })
  /** All but the end of a request that makes a key; the server has seen who sends it. */
  const halfSent = async () => {
    const { body } = await maker.call('POST /v1/keys', { body: { roles: ['Admin'] } })
    const raw = rawConnection(server.url)
    await once(raw.socket, 'connect')
    const before = looks
    const head = ['Content-Type: application/json', `Content-Length: ${text.length}`]
    raw.send(rawRequest(server.url, 'POST /v1/keys', [`Authorization: Bearer ${body.key}`, ...head]) + text.slice(0, 5))
    await expect.poll(() => looks).toBe(before + 1)
    const whole = async (): Promise<string> => {
      raw.send(text.slice(5))
      return raw.closed
    }
    return { keyId: body.keyId as string, whole }
  }
  const [stolen, own] = [await halfSent(), await halfSent()]
  await maker.call(`DELETE /v1/keys/${stolen.keyId}`)
  expect(await stolen.whole()).toContain('HTTP/1.1 401 ')
  expect(await own.whole()).toContain('HTTP/1.1 201 ')
  expect(await store.listApiKeys('acme')).toHaveLength(3)
  await keelson.close()
})
