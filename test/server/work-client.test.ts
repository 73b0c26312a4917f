/** `work(…)` of keelson/client against a real server: functions in Node that are a remote worker's. */
import { afterEach, expect, it } from 'vitest'
import { connect, type Client, type WorkContext } from '../../src/client/connect.ts'
import { eventsOf } from './a-worker.ts'
import { gate } from './long-runs.ts'
import { ANA, served, type Served } from './served.ts'

const PLAN = `
plan: far
version: 1.0.0
steps:
  - { id: each, forEach: "input.items", run: double, with: { n: "\${item}" }, dispatch: { queue: node } }
output: { all: "\${steps.each.output}" }
`

let server: Served | undefined
afterEach(async () => server?.[Symbol.asyncDispose]())

async function open(): Promise<Served & { readonly boss: Client; readonly robot: Client }> {
  const opened = await served()
  server = opened
  await opened.publish(PLAN)
  const { url } = opened
  return { ...opened, boss: connect({ url, apiKey: ANA }), robot: connect({ url, apiKey: 'acme.robot.worker' }) }
}

it('calls the functions of the worker, several at a time, and ends what it began when it is stopped', async () => {
  const { boss, robot } = await open()
  const stop = new AbortController()
  let [now, most] = [0, 0]
  const told: WorkContext[] = []
  const { passed: isOpen, open: letGo } = gate()
  const double = async ({ n }: { readonly n: number }, context: WorkContext): Promise<number> => {
    told.push(context)
    now += 1
    most = Math.max(most, now)
    await isOpen
    now -= 1
    return n * 2
  }
  const working = robot.work({ queues: ['node'], handlers: { double }, atOnce: 3, signal: stop.signal, worker: 'n1' })
  const run = await boss.start({ planId: 'far', input: { items: [1, 2, 3, 4] } })
  await expect.poll(() => now).toBe(3)
  stop.abort()
  letGo()
  await working
  expect([most, now]).toEqual([3, 0])
  expect(new Set(told.map(({ idempotencyKey }) => idempotencyKey)).size).toBe(3)
  const again = new AbortController()
  const rest = robot.work({ queues: ['node'], handlers: { double }, signal: again.signal })
  expect(await run.result()).toMatchObject({ status: 'COMPLETED', output: { all: [2, 4, 6, 8] } })
  again.abort()
  await rest
})

it('reports what a function throws with its facts, and its artifacts', async () => {
  const opened = await open()
  const stop = new AbortController()
  const double = (_input: unknown, { addArtifact }: WorkContext): never => {
    addArtifact({ uri: 's3://logs/1', kind: 'log' })
    throw Object.assign(new Error('no such row'), { code: 'ValidationError' })
  }
  const working = opened.robot.work({ queues: ['node'], handlers: { double }, signal: stop.signal })
  const run = await opened.boss.start({ planId: 'far', input: { items: [1] } })
  expect(await run.result()).toMatchObject({ status: 'FAILED' })
  stop.abort()
  await working
  const failed = (await eventsOf(opened, run.executionId)).find(({ eventType }) => eventType === 'StepFailed')
  expect(failed?.payload).toMatchObject({
    error: { code: 'HANDLER_FAILED', errorClass: 'validation' },
    artifactRefs: [{ uri: 's3://logs/1', kind: 'log' }],
  })
})

it('stops a function when its run is cancelled, and goes on after the server was away', async () => {
  const opened = await open()
  const stop = new AbortController()
  const problems: unknown[] = []
  const double = (_input: unknown, { signal }: WorkContext): Promise<never> =>
    new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)))
  let isAway = true
  const flaky = connect({
    url: opened.url,
    apiKey: 'acme.robot.worker',
    sleep: (ms) => (isAway ? Promise.resolve() : new Promise((resolve) => setTimeout(resolve, Math.min(ms, 50)))),
    fetch: (...given) => {
      if (!isAway) return fetch(...given)
      isAway = false
      return Promise.reject(new TypeError('fetch failed'))
    },
  })
  const onProblem = (thrown: unknown): void => void problems.push(thrown)
  const working = flaky.work({ queues: ['node'], handlers: { double }, signal: stop.signal, onProblem })
  const run = await opened.boss.start({ planId: 'far', input: { items: [1] } })
  await expect.poll(async () => (await run.why('each[0]')).map(({ kind }) => kind)).toContain('with-worker')
  await run.cancel({ reason: 'enough' })
  expect(await run.result()).toMatchObject({ status: 'CANCELLED' })
  stop.abort()
  await working
  expect(problems).toMatchObject([{ code: 'SERVER_UNREACHABLE' }])
})
