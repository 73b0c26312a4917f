/** What reaches the address of a trigger without being signed: it costs little, and learns nothing. */
import { createHmac } from 'node:crypto'
import { afterEach, expect, it } from 'vitest'
import { RequestRates } from '../../src/edge/http/defence/request-rates.ts'
import { KeelsonError, problem } from '../../src/core/problems/problem.ts'
import type { OpenOptions } from '../../src/main.ts'
import { served, type Answered, type Served, type ServedOptions } from './served.ts'

const PLAN = 'plan: build\nversion: 1.0.0\nsteps: [{ id: pack, run: pack }]\n'
const SECRET = 'a secret of sixteen'
const OWN = { trigger: 'push', planId: 'build', scheme: 'github', secret: SECRET }

let server: Served | undefined
afterEach(async () => server?.[Symbol.asyncDispose]())

interface Opened extends Served {
  readonly deliver: (text: string, how?: { id?: string; secret?: string; to?: string }) => Promise<Answered>
}

async function open(options: ServedOptions, trigger: object = OWN, opening: OpenOptions = {}): Promise<Opened> {
  const opened = await served({ steps: { pack: () => 'packed' }, ...opening }, options)
  server = opened
  await opened.publish(PLAN)
  const made = await opened.call('POST /v1/triggers', { body: trigger })
  expect(made.status).toBe(201)
  return {
    ...opened,
    deliver: (text, { id = 'd-1', secret = SECRET, to = made.body.deliverTo } = {}) => {
      const signature = createHmac('sha256', secret).update(text).digest('hex')
      const headers = { 'x-github-delivery': id, 'x-hub-signature-256': `sha256=${signature}` }
      return opened.call(`POST ${to}`, { as: '', text, headers })
    },
  }
}

/** What a sender is told, but for what differs in every answer. */
function told({ status, headers, body }: Answered): object {
  const { correlationId: _id, timestamp: _at, ...rest } = body
  return { status, names: [...headers.keys()].sort(), rest }
}

const UNKNOWN = { to: `/v1/triggers/tr_${'a'.repeat(32)}` }

it('an unknown address, a wrong signature, a body that is no JSON and a secret that is not here are answered alike', async () => {
  let fails: (() => never) | undefined
  const secrets = { resolve: async () => fails?.() ?? new Map([['secret://push', { value: SECRET }]]) }
  const { secret: _own, ...rest } = OWN
  const { deliver, call, told: logged } = await open({}, { ...rest, secretRef: 'secret://push' }, { secrets })
  const unknown = told(await deliver('{}', UNKNOWN))
  expect(told(await deliver('{}', { secret: 'another secret !' }))).toEqual(unknown)
  expect(told(await deliver('{ no json', { secret: 'another secret !' }))).toEqual(unknown)
  expect(told(await deliver('{ no json', UNKNOWN))).toEqual(unknown)
  fails = () => {
    throw new KeelsonError([problem('SECRETS_FILE_REFUSED', '/etc/keelson/secrets.json has mode 0644, not 0600')])
  }
  expect(told(await deliver('{}'))).toEqual(unknown)
  fails = () => {
    throw new Error('the vault is sealed')
  }
  expect(told(await deliver('{}'))).toEqual(unknown)
  expect(logged.map(String)).toEqual([expect.stringContaining('/etc/keelson'), 'Error: the vault is sealed'])
  const kept = await call('GET /v1/triggers/push/deliveries')
  expect(kept.body.deliveries).toHaveLength(4)
  expect(kept.text).not.toContain('/etc/keelson')
  fails = undefined
  expect((await deliver('{}')).status).toBe(202)
  expect((await deliver('{ no json', { id: 'd-2' })).body.error.code).toBe('BODY_INVALID')
})

it('an address whose signatures do not fit has to wait, genuine deliveries do not count, and other addresses go on', async () => {
  let elapsed = 0
  const limits = { perAddress: 3 }
  const { deliver, call } = await open({ limits, elapsedMs: () => elapsed, trustProxy: ['127.0.0.1'] })
  for (let times = 0; times < 6; times += 1) expect((await deliver('{}', { id: `g-${times}` })).status).toBe(202)
  for (let times = 0; times < 3; times += 1) expect((await deliver('{}', UNKNOWN)).status).toBe(401)
  const refused = await deliver('{}')
  expect([refused.status, refused.body.error.code]).toEqual([429, 'RATE_EXCEEDED'])
  expect(refused.headers.get('retry-after')).toBe('20')
  const other = await call(`POST ${UNKNOWN.to}`, { as: '', text: '{}', headers: { 'x-forwarded-for': '203.0.113.9' } })
  expect(other.status).toBe(401)
  // Who says who they are is not counted by address.
  expect((await call('GET /v1/me')).status).toBe(200)
  elapsed += 20_000
  expect((await deliver('{}')).status).toBe(202)
})

it('a delivery of more than a mebibyte is refused before it is read, to every address alike', async () => {
  const { deliver } = await open({})
  const text = JSON.stringify({ text: 'x'.repeat(1_048_577) })
  const [known, unknown] = [await deliver(text), await deliver(text, UNKNOWN)]
  expect([known.status, known.body.error.code]).toEqual([413, 'PAYLOAD_TOO_LARGE'])
  expect(known.body.error.details).toEqual({ actual: text.length, limit: 1_048_576 })
  expect(told(unknown)).toEqual(told(known))
})

it('counts the addresses of one network of version 6 together', () => {
  const rates = new RequestRates({ perPrincipal: 0, perTenant: 0, perAddress: 2 }, () => 0)
  rates.takeUnknown('2001:db8:0:7::1', 'deliveries')
  rates.takeUnknown('2001:db8::7:a:b:c:d', 'deliveries')
  expect(() => rates.takeUnknown('2001:db8:0:7:ffff::', 'deliveries')).toThrow('RATE_EXCEEDED')
  rates.takeUnknown('2001:db8:0:8::1', 'deliveries')
  rates.takeUnknown('::ffff:192.0.2.1', 'deliveries')
  rates.takeUnknown('::ffff:192.0.2.1', 'deliveries')
  expect(() => rates.takeUnknown('::ffff:192.0.2.1', 'deliveries')).toThrow('RATE_EXCEEDED')
  rates.takeUnknown('::ffff:192.0.2.2', 'deliveries')
  const all = new RequestRates({ perPrincipal: 0, perTenant: 0, perAddress: 0 }, () => 0)
  for (let times = 0; times < 10; times += 1) all.takeUnknown('192.0.2.1', 'deliveries')
})
