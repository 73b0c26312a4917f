/** A stream ends with the right to read it, not with its run: who is no longer known reads on no longer. */
import { expect, it } from 'vitest'
import { byApiKey } from '../../src/edge/http/who/api-keys.ts'
import { firstWho } from '../../src/edge/http/who/who-asks.ts'
import { fail } from '../../src/core/problems/problem.ts'
import { servicesOf } from '../../src/library/services-of.ts'
import { openKeelson } from '../../src/main.ts'
import { served } from './served.ts'

const WHO_MS = 20

it('a stream of a revoked key, or of a deleted tenant, ends within the time of a look; others go on [AUT-09]', async () => {
  const keelson = await openKeelson({ directory: ':memory:' })
  const { store } = servicesOf(keelson)
  await using maker = await served({}, { keelson })
  let looks = 0
  const byKey = byApiKey({ store, now: Date.now })
  const who = firstWho([(credentials) => ((looks += 1), byKey(credentials))])
  await using server = await served({}, { keelson, who, streams: { whoMs: WHO_MS } })
  const stream = async (
    as: string,
  ): Promise<{ readonly keyId: string; readonly reading: Promise<string>; end(): void }> => {
    const { body } = await maker.call('POST /v1/keys', { as, body: { roles: ['viewer'] } })
    const gone = new AbortController()
    const headers = { authorization: `Bearer ${body.key}` }
    const response = await fetch(`${server.url}/v1/stream`, { headers, signal: gone.signal })
    expect(response.status).toBe(200)
    return { keyId: body.keyId, reading: response.text(), end: () => gone.abort() }
  }
  const [revoked, orphan, good] = [
    await stream('acme.ana.Admin'),
    await stream('gone.eve.Admin'),
    await stream('acme.ana.Admin'),
  ]
  await maker.call(`DELETE /v1/keys/${revoked.keyId}`)
  expect(await revoked.reading).toContain('event: hello')
  await store.deleteTenant('gone', Date.now())
  expect(await orphan.reading).toContain('event: hello')
  const before = looks
  await expect.poll(() => looks).toBeGreaterThan(before + 2)
  good.end()
  await expect(good.reading).rejects.toThrow('abort')
  await keelson.close()
})

it('a store or an issuer that is away says nothing about who reads: the stream goes on', async () => {
  let asked = 0
  const caller = { tenantId: 'acme', projectId: 'default', environmentId: 'local', actorId: 'ana' }
  const who = firstWho([
    () => {
      asked += 1
      if (asked === 2) fail('SERVER_BUSY', 'the issuer cannot be asked')
      if (asked === 3) throw new Error('no answer')
      return asked < 5 ? { ...caller, kind: 'user', roles: ['viewer'] } : undefined
    },
  ])
  await using server = await served({}, { who, streams: { whoMs: WHO_MS } })
  const response = await fetch(`${server.url}/v1/stream`)
  expect(await response.text()).toContain('event: hello')
  expect(asked).toBe(5)
})
