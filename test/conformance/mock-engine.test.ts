/** The mock engine as a program opens it: the product itself, under a clock that nobody waits for. */
import { expect, it } from 'vitest'
import { parseEngineRunRef } from '../../src/core/engine/run-ref-text.ts'
import { loadPlan, openKeelson } from '../../src/main.ts'
import { cpuNowMs } from '../fixtures/cpu-time.ts'

const LONG = loadPlan(`
plan: long
version: 1.0.0
steps:
  - { id: night, wait: { forMs: 36000000 } }
  - { id: flaky, run: flaky, retry: { maxAttempts: 3, initialBackoffMs: 3600000, maxBackoffMs: 7200000 } }
  - { id: asleep, run: asleep, timeoutMs: 200, retry: { maxAttempts: 1 }, fallback: { run: awake } }
`)

const STEPS = {
  flaky: (_input: never, { attempt }: { readonly attempt: number }) => {
    if (attempt < 3) throw new Error('not yet')
    return attempt
  },
  asleep: () => new Promise<never>(() => undefined),
  awake: () => 'awake',
}

async function runOnce(): Promise<{
  readonly log: readonly string[]
  readonly hours: number
  readonly tookMs: number
}> {
  await using keelson = await openKeelson({ engine: 'mock', steps: STEPS, directory: ':memory:' })
  const began = cpuNowMs()
  const handle = await keelson.start(LONG)
  const result = await handle.result()
  const tookMs = cpuNowMs() - began
  expect(result.status).toBe('COMPLETED')
  const records = await handle.records()
  const started = records.find(({ eventType }) => eventType === 'RunStarted')
  expect(started?.payload).toMatchObject({ engineType: 'mock' })
  expect(parseEngineRunRef(String(started?.payload?.['engineRunRef']))).toEqual({
    engineType: 'mock',
    runId: handle.runId,
  })
  const log = records.map(({ eventType, stepId = '', role = '', logicalAttemptId }) =>
    [eventType, stepId, role, logicalAttemptId].join(' '),
  )
  const [first, last] = [records[0], records.at(-1)].map((record) => Date.parse(record?.emittedAt ?? ''))
  return { log, hours: ((last ?? 0) - (first ?? 0)) / 3_600_000, tookMs }
}

it('runs thirteen hours of waits and backoff in a moment, alike each time, addressed as mock [ADP-03]', async () => {
  const [first, second] = [await runOnce(), await runOnce()]
  expect(second.log).toEqual(first.log)
  expect(first.hours).toBeGreaterThanOrEqual(13)
  expect(first.hours).toBeLessThan(13.1)
  expect(first.tookMs).toBeLessThan(10_000)
})

it('a child run, a manual task and a pause on the mock engine need no time either', async () => {
  await using keelson = await openKeelson({ engine: 'mock', steps: { f: () => 1 }, directory: ':memory:' })
  const child = loadPlan('{ plan: child, version: 1.0.0, steps: [{ id: w, wait: { forMs: 86400000 } }] }')
  await keelson.publish(child)
  const plan = loadPlan(`
plan: parent
version: 1.0.0
steps: [{ id: c, plan: { planId: child } }, { id: m, manual: { title: Look, expiresAfterMs: 604800000 }, retry: { maxAttempts: 1 } }]
`)
  const handle = await keelson.start(plan)
  const result = await handle.result()
  expect(result.status).toBe('FAILED')
  expect(result.error?.slot).toBe('m')
})
