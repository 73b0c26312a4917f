/** What remote workers are trusted with: secrets only under a key that may have them, and never in the store or the log. */
import { afterEach, expect, it } from 'vitest'
import { byApiKey } from '../../src/edge/http/who/api-keys.ts'
import { firstWho } from '../../src/edge/http/who/who-asks.ts'
import { partsOf } from '../../src/library/services-of.ts'
import { aWorker, eventsOf } from './a-worker.ts'
import { served, type Served } from './served.ts'

const SECRET = 'hunter2-and-a-half'
const PLAN = `
plan: trusted
version: 1.0.0
steps:
  - id: train
    run: train
    secrets: { token: "secret://vault/token" }
    dispatch: { queue: gpu }
output: { said: "\${steps.train.output.said}" }
`

let server: Served | undefined
afterEach(async () => server?.[Symbol.asyncDispose]())

async function open(): Promise<Served> {
  const opened = await served({
    secrets: { resolve: async (refs) => new Map(refs.map((ref) => [ref, { value: SECRET }])) },
  })
  server = opened
  await opened.publish(PLAN)
  return opened
}

it('gives a step with secrets only to a worker whose key may have them, and masks what it gives back [SEC-03]', async () => {
  const opened = await open()
  const { body } = await opened.call('POST /v1/executions', { body: { planId: 'trusted' } })
  const trusted = aWorker(opened, 'acme.safe.worker-secrets')
  const claimed = await trusted.claimOne()
  expect(claimed.secrets).toEqual({ token: SECRET })
  const artifacts = [{ uri: `s3://models/${SECRET}`, kind: 'model' }]
  await trusted.report(claimed.claim, { outcome: 'completed', output: { said: `it is ${SECRET}` }, artifacts })
  const { store } = partsOf(opened.keelson).services
  const row = await store.findRun({ tenantId: 'acme', runId: body.executionId })
  const work = await store.findWork({ runKey: row?.runKey ?? 0, slot: 'train', attempt: 1 })
  expect(work?.report).toContain('it is ***')
  expect(JSON.stringify(work)).not.toContain(SECRET)
  expect(JSON.stringify(work)).not.toContain(claimed.claim)
  const run = `GET /v1/executions/${body.executionId}`
  await expect.poll(async () => (await opened.call(run)).body.status).toBe('COMPLETED')
  expect(JSON.stringify(await eventsOf(opened, body.executionId))).not.toContain(SECRET)
})

it('offers a step with secrets to no other worker, and masks the error of one that failed [SEC-08]', async () => {
  const opened = await open()
  const { body } = await opened.call('POST /v1/executions', { body: { planId: 'trusted' } })
  const trusted = aWorker(opened, 'acme.safe.worker-secrets')
  const claimed = await trusted.claimOne({ leaseMs: 1_000 })
  const plain = aWorker(opened)
  await expect.poll(() => Date.now()).toBeGreaterThan(Date.parse(claimed.leaseUntil))
  expect(await plain.claim()).toEqual([])
  const error = { message: `no ${SECRET}`, code: 'ValidationError', stack: `Error: ${SECRET}\n at x` }
  await trusted.report(claimed.claim, { outcome: 'failed', error })
  await expect
    .poll(async () => (await opened.call(`GET /v1/executions/${body.executionId}`)).body.status)
    .toBe('FAILED')
  const events = JSON.stringify(await eventsOf(opened, body.executionId))
  expect(events).toContain('no ***')
  expect(events).not.toContain(SECRET)
})

it('hands out nothing to a key that was revoked while it waited, and another worker gets the step [AUT-09]', async () => {
  const opened = await open()
  const { keelson } = opened
  const who = byApiKey({ store: partsOf(keelson).services.store, now: Date.now })
  await using byKey = await served({}, { keelson, who: firstWho([who]) })
  const made = await opened.call('POST /v1/keys', { body: { roles: ['worker-secrets'] } })
  const headers = { authorization: `Bearer ${made.body.key}` }
  const body = { queues: ['gpu'], handlers: ['train'], waitMs: 30_000, worker: 'stolen' }
  const waiting = byKey.call('POST /v1/work/claim', { as: '', headers, body })
  const asks = async (): Promise<readonly { worker: string }[]> => (await opened.call('GET /v1/workers')).body.workers
  await expect.poll(async () => (await asks()).map(({ worker }) => worker)).toContain('stolen')
  expect((await opened.call(`DELETE /v1/keys/${made.body.keyId}`)).status).toBe(200)
  await opened.call('POST /v1/executions', { body: { planId: 'trusted' } })
  const refused = await waiting
  expect([refused.status, refused.body.error.code]).toEqual([401, 'NOT_AUTHENTICATED'])
  const claimed = await aWorker(opened, 'acme.safe.worker-secrets').claimOne()
  expect(claimed.secrets).toEqual({ token: SECRET })
})

it('records in the audit log what was handed out and reported, and only counts heartbeats and empty answers', async () => {
  const opened = await open()
  const { body } = await opened.call('POST /v1/executions', { body: { planId: 'trusted' } })
  const trusted = aWorker(opened, 'acme.safe.worker-secrets')
  const { claim } = await trusted.claimOne()
  expect(await trusted.claim()).toEqual([])
  await trusted.beat(claim)
  await trusted.done(claim, {})
  const { body: audit } = await opened.call('GET /v1/audit?limit=100')
  const facts = (audit.records as readonly { readonly record: string }[]).map(({ record }) => JSON.parse(record))
  const own = facts.filter(({ actorId, call }) => actorId === 'safe' && call !== undefined)
  expect(own.map(({ call, target }) => ({ call, target }))).toEqual([
    { call: 'claimWork', target: body.executionId },
    { call: 'reportWork', target: body.executionId },
  ])
  expect(JSON.stringify(facts)).not.toContain(claim)
})
