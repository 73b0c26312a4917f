/** Every metric of OBS-07 moves when what it counts happens, and never below zero: read over real HTTP, as Prometheus reads it. */
import { randomUUID } from 'node:crypto'
import { expect, it } from 'vitest'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import { providerFailure } from '../../src/app/operations/provider-failure.ts'
import { LIMITS } from '../../src/core/limits.ts'
import { Metrics } from '../../src/edge/http/serve/metrics.ts'
import { testFolder } from '../fixtures/folder.ts'
import { heldServer } from './held-run.ts'
import { served, type Served } from './served.ts'

const FLAKY = `
plan: flaky
version: 1.0.0
steps: [{ id: flaky, run: flaky, retry: { maxAttempts: 2, initialBackoffMs: 1 } }]
`

/** Of a counter all its labels together; of a histogram its count. */
async function valueOf(server: Pick<Served, 'call'>, name: string): Promise<number> {
  const { text } = await server.call('GET /metrics', { as: '' })
  const lines = text.split('\n').filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
  expect(lines.length, name).toBeGreaterThan(0)
  return lines.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0)
}

const MOVED = [
  'dvt_runs_started_total',
  'dvt_run_completion_duration_seconds_count',
  'dvt_runs_completed_total',
  'dvt_step_duration_seconds_count',
  'dvt_step_retries_total',
  'dvt_statestore_write_duration_ms_count',
  'dvt_signals_received_total',
  'dvt_adapter_api_errors_total',
] as const

it('each counter and each histogram moves by what happens [OBS-07]', async () => {
  const metrics = new Metrics()
  const inner = openMemoryStore({ clock: { now: Date.now } })
  const away = (): never => {
    throw providerFailure({ provider: 'temporal', operation: 'ping' }, new Error('connect ECONNREFUSED 10.0.0.7:7233'))
  }
  const store = new Proxy(inner, {
    get: (target, name, receiver) => (name === 'listTriggers' ? away : Reflect.get(target, name, receiver)),
  })
  let calls = 0
  const flaky = (): number => {
    calls += 1
    if (calls === 1) throw new Error('not yet')
    return calls
  }
  const options = { steps: { flaky }, store, onWritten: (ms: number) => metrics.written(ms) }
  await using server = await served(options, { metrics })
  await server.publish(FLAKY)
  const read = async (): Promise<readonly number[]> => Promise.all(MOVED.map((name) => valueOf(server, name)))
  const before = await read()
  expect(before.slice(0, 5)).toEqual([0, 0, 0, 0, 0])
  const { body } = await server.call('POST /v1/executions?mode=sync', { body: { planId: 'flaky' } })
  const signal = { signalId: randomUUID(), signalType: 'PAUSE' }
  expect((await server.call(`POST /v1/executions/${body.executionId}/signals`, { body: signal })).status).toBe(409)
  const failed = await server.call('GET /v1/triggers')
  expect([failed.status, failed.body.error.code]).toEqual([503, 'ADAPTER_PROVIDER_ERROR'])
  expect(failed.text).not.toContain('10.0.0.7')
  await expect
    .poll(async () => (await read()).map((value, index) => value > (before[index] ?? 0)))
    .toEqual(MOVED.map(() => true))
})

it('counts signals by type and by what became of them [OBS-07]', async () => {
  await using server = await heldServer()
  const run = await server.started()
  await server.signal(run, { signalType: 'PAUSE' })
  const signalId = randomUUID()
  await server.signal(run, { signalType: 'RESUME', signalId })
  await server.signal(run, { signalType: 'RESUME', signalId })
  await server.signal(run, { signalType: 'RETRY_RUN' }, 'acme.op.Operator')
  await server.signal(randomUUID(), { signalType: 'PAUSE' })
  await server.cancelled(run)
  const { text } = await server.call('GET /metrics', { as: '' })
  const counted = text.split('\n').filter((line) => line.startsWith('dvt_signals_received_total{'))
  expect(counted.toSorted()).toEqual([
    'dvt_signals_received_total{type="CANCEL",answer="sent"} 1',
    'dvt_signals_received_total{type="PAUSE",answer="RUN_NOT_FOUND"} 1',
    expect.stringMatching(/\{type="PAUSE",answer="(sent|pending)"\} 1$/),
    'dvt_signals_received_total{type="RESUME",answer="repeat"} 1',
    expect.stringMatching(/\{type="RESUME",answer="(sent|pending)"\} 1$/),
    'dvt_signals_received_total{type="RETRY_RUN",answer="AUTHZ_DENIED"} 1',
  ])
})

it('says how many runs this process drives, also of those that another one began [OBS-07]', async () => {
  const directory = testFolder()
  {
    await using server = await heldServer({ directory })
    await server.started()
    await server.started()
    expect(await valueOf(server, 'dvt_runs_in_flight')).toBe(2)
  }
  await using server = await heldServer({ directory })
  const inFlight = (): Promise<number> => valueOf(server, 'dvt_runs_in_flight')
  const seen = [await inFlight()]
  const run = await server.started()
  seen.push(await inFlight())
  server.release()
  await expect.poll(async () => (await server.call(`GET /v1/executions/${run}`)).body.status).toBe('COMPLETED')
  await expect.poll(async () => seen.push(await inFlight()) > 0 && seen.at(-1)).toBe(0)
  expect(Math.min(...seen)).toBe(0)
  expect(seen[1]).toBeGreaterThan(0)
})

it('tells how many events views are behind, and that they have caught up [OBS-07]', async () => {
  await using server = await served({ steps: { one: () => 1 } })
  await server.publish('plan: many\nversion: 1.0.0\nsteps: [{ id: each, forEach: input.items, run: one }]\n')
  const items = Array.from({ length: LIMITS.checkpointEveryEvents }, (_one, index) => index)
  const { body } = await server.call('POST /v1/executions?mode=sync', { body: { planId: 'many', input: { items } } })
  expect(body.status).toBe('COMPLETED')
  const lag = (): Promise<number> => valueOf(server, 'dvt_projection_lag_events')
  // Its view is kept when the process has had nothing else to do for a while.
  expect(await lag()).toBeGreaterThan(LIMITS.checkpointEveryEvents)
  await expect.poll(lag).toBe(0)
})
