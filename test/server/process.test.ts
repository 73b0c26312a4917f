/** The process itself over HTTP: alive, ready, what it measures, and whom it takes the caller for. */
import { expect, it } from 'vitest'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import { fail } from '../../src/core/problems/problem.ts'
import { countingStore } from '../fixtures/counting-store.ts'
import { served, type Answered } from './served.ts'

const PLAN = `
plan: secret-plan-name
version: 1.0.0
steps:
  - { id: flaky, run: flaky, retry: { maxAttempts: 3, initialBackoffMs: 1 } }
`

it('is alive for anyone, and ready when every duty does its work', async () => {
  await using server = await served()
  expect((await server.call('GET /healthz', { as: '' })).body).toEqual({ status: 'ok' })
  const ready = await server.call('GET /readyz', { as: '' })
  expect({ status: ready.status, body: ready.body }).toEqual({
    status: 200,
    body: {
      status: 'ready',
      duties: { store: { ok: true }, api: { ok: true }, engine: { ok: true }, followers: { ok: true } },
    },
  })
  await server.keelson.close()
  const closed = await server.call('GET /readyz', { as: '' })
  expect(closed.status).toBe(503)
  expect(closed.body.duties.store).toEqual({ ok: false, why: 'STORE_CLOSED' })
  expect((await server.call('GET /healthz', { as: '' })).status).toBe(200)
})

it('says whether it is ready without reading what grows with its tenants: anybody may ask it', async () => {
  const counting = countingStore(openMemoryStore({ clock: { now: Date.now } }))
  await using server = await served({ store: counting.store })
  counting.reset()
  for (let times = 0; times < 10; times += 1) expect((await server.call('GET /readyz', { as: '' })).status).toBe(200)
  expect([counting.count('listTenants'), counting.count('findTenant')]).toEqual([0, 10])
})

it('is not ready while the store answers and takes no write, as on a full disk, and asks it once at a time', async () => {
  const store = openMemoryStore({ clock: { now: Date.now } })
  let isFull = false
  const counting = countingStore({
    ...store,
    takeRequest: (take) => (isFull ? fail('STORE_FULL', 'the disk is full') : store.takeRequest(take)),
  })
  await using server = await served({ store: counting.store })
  const ask = async (): Promise<Answered> => server.call('GET /readyz', { as: '' })
  counting.reset()
  const asked = await Promise.all(Array.from({ length: 5 }, ask))
  expect(asked.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
  expect(counting.count('takeRequest')).toBeLessThan(asked.length)
  expect(counting.count('dropRequest')).toBe(counting.count('takeRequest'))
  isFull = true
  await expect.poll(async () => (await ask()).status).toBe(503)
  const full = { ok: false, why: 'STORE_FULL' }
  expect((await ask()).body).toEqual({
    status: 'not ready',
    duties: { store: full, api: { ok: true }, engine: full, followers: full },
  })
  expect((await server.call('GET /healthz', { as: '' })).status).toBe(200)
  isFull = false
  await expect.poll(async () => (await ask()).status).toBe(200)
})

it('measures runs, steps, retries and commits under the published names, and names no run, plan or tenant [OBS-07]', async () => {
  let calls = 0
  const flaky = (): number => {
    calls += 1
    if (calls < 3) throw new Error('not yet')
    return calls
  }
  const { Metrics } = await import('../../src/edge/http/serve/metrics.ts')
  const metrics = new Metrics()
  await using server = await served({ steps: { flaky }, onWritten: (ms) => metrics.written(ms) }, { metrics })
  await server.publish(PLAN)
  const { body } = await server.call('POST /v1/executions?mode=sync', { body: { planId: 'secret-plan-name' } })
  expect(body.status).toBe('COMPLETED')
  const scrape = async (): Promise<string> => (await server.call('GET /metrics', { as: '' })).text
  await expect.poll(scrape).toContain('dvt_runs_completed_total{status="completed"} 1')
  const text = await scrape()
  for (const line of [
    'dvt_runs_started_total 1',
    'dvt_runs_in_flight 0',
    'dvt_step_retries_total 2',
    'dvt_step_duration_seconds_count 1',
    'dvt_run_completion_duration_seconds_count 1',
    'dvt_projection_lag_events 0',
    'dvt_adapter_api_errors_total 0',
    '# TYPE dvt_signals_received_total counter',
  ])
    expect(text).toContain(line)
  expect(Number(/dvt_statestore_write_duration_ms_count (\d+)/.exec(text)?.[1])).toBeGreaterThan(2)
  expect(text).not.toMatch(new RegExp(`secret-plan-name|acme|${body.executionId}`))
})

it('says whom it takes the caller for, and what that principal may do [AUT-14]', async () => {
  await using server = await served()
  const { body } = await server.call('GET /v1/me', { as: 'acme.vera.viewer' })
  expect(body).toEqual({
    tenantId: 'acme',
    actorId: 'vera',
    kind: 'user',
    roles: ['viewer'],
    actions: ['PLAN_READ', 'RUN_READ_STATUS', 'TENANT_READ'],
  })
})
