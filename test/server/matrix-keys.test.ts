/**
 * Every route of the table, asked with API keys that open nothing any more: expired, revoked, of a deleted tenant, with another secret.
 * The answer is that to a key which never was. A new row of the table is tested without a change here.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { issueApiKey } from '../../src/app/identity/api-key.ts'
import type { Contract } from '../../src/core/api/contract.ts'
import { byApiKey } from '../../src/edge/http/who/api-keys.ts'
import { firstWho } from '../../src/edge/http/who/who-asks.ts'
import { storeOf } from '../../src/library/services-of.ts'
import { BOUND, send } from './peopled.ts'
import { sampleRequest, type Names } from './sample-requests.ts'
import { served, type Served } from './served.ts'

const HOUR_MS = 3_600_000
const BAD = ['expired', 'revoked', 'of a deleted tenant', 'with another secret', 'that never was'] as const

let server: Served
let keys: Readonly<Record<(typeof BAD)[number] | 'good', string>>

beforeAll(async () => {
  const opened = await served({}, { who: (credentials) => who(credentials) })
  const store = storeOf(opened.keelson)
  const who = firstWho([byApiKey({ store, now: Date.now })])
  const issue = async (tenantId: string, more: { readonly expiresAt?: number } = {}, now = Date.now()) =>
    issueApiKey(
      store,
      { bytes: randomBytes },
      { tenantId, actorId: 'ana', roles: ['Admin'], createdBy: 'ana', ...more },
      now,
    )
  const good = await issue('acme')
  const revoked = await issue('acme')
  await store.revokeApiKey('acme', revoked.keyId, Date.now())
  const long = Date.now() - 2 * HOUR_MS
  const expired = await issue('acme', { expiresAt: long + HOUR_MS }, long)
  const orphan = await issue('gone')
  await store.deleteTenant('gone', Date.now())
  server = opened
  keys = {
    good: good.key,
    expired: expired.key,
    revoked: revoked.key,
    'of a deleted tenant': orphan.key,
    'with another secret': otherSecret(good.key),
    'that never was': `kls_${'0'.repeat(16)}_${'0'.repeat(64)}`,
  }
})
afterAll(async () => server[Symbol.asyncDispose]())

function otherSecret(key: string): string {
  return `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`
}

/** Any name will do: a key is looked at before what is asked for. */
const NAMES: Names = new Proxy({}, { get: (_names, name) => (name === 'sha256' ? 'a'.repeat(64) : randomUUID()) })

const GUARDED = BOUND.filter(({ access }) => access !== 'anyone' && access !== 'signature')

async function toldWith(contract: Contract, key: string): Promise<object> {
  const { status, headers, text } = await send(server.url, contract, sampleRequest(contract, NAMES), { as: key })
  const body = text
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<instant>')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, '<id>')
  return { status, names: [...headers.keys()].sort(), body }
}

describe.each(GUARDED.map((contract) => [contract.id, contract] as const))('%s', (_id, contract) => {
  it('is closed to keys that open nothing any more, whatever the reason [AUT-10, API-14]', async () => {
    const never = await toldWith(contract, keys['that never was'])
    expect(never).toMatchObject({ status: 401 })
    for (const kind of BAD) expect({ kind, told: await toldWith(contract, keys[kind]) }).toEqual({ kind, told: never })
  })
})

it('a key that is good is taken', async () => {
  const { status, body } = await server.call('GET /v1/me', { as: keys.good })
  expect([status, body.tenantId, body.kind]).toEqual([200, 'acme', 'key'])
})
