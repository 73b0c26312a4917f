/** The instant in the row of a run may be early, never late (P-25). */
import { expect, it } from 'vitest'
import type { EffectOutcome } from '../../src/ports/engine.ts'
import { World } from '../fixtures/virtual-world.ts'

const CHAIN = `steps:
  - { id: a, run: f, timeout: 60s }
  - { id: b, run: f, timeout: 60s }
  - { id: c, run: f, timeout: 10s }
  - { id: d, run: f }`

const done = (slot: string): EffectOutcome => ({
  slot,
  attempt: 1,
  engineAttempt: 1,
  result: { kind: 'completed', output: null, artifactRefs: [], durationMs: 1 },
})

it('a step forward keeps an earlier instant, an early wake-up sets it right, and none is ever late [P-25]', async () => {
  const world = new World({ seed: 'kept wake' })
  const process = world.process('one')
  const { row } = await process.create(CHAIN)
  const began = world.time.now()
  const wake = (): number => (world.row(row.runKey).nextWakeAt ?? Number.NaN) - began
  const first = wake()
  world.time.turnTo(world.time.steady() + 1_000)
  await process.advancer.advance(row.runKey, { reports: [done('a')] })
  expect(wake()).toBe(first)
  world.time.turnTo(world.time.steady() + first - 500)
  expect(world.time.now() - began).toBe(first + 500)
  const before = world.log(row.runKey).length
  await process.advancer.advance(row.runKey, {})
  expect(wake()).toBe(first + 1_000)
  expect(world.log(row.runKey)).toHaveLength(before)
  await process.advancer.advance(row.runKey, { reports: [done('b')] })
  expect(wake()).toBe(first + 1_000)
  expect(world.row(row.runKey).status).toBe('RUNNING')
})

it('a step that is due sooner is never woken late [P-25]', async () => {
  const world = new World({ seed: 'sooner' })
  const process = world.process('one')
  const { row } = await process.create('steps: [{ id: a, run: f, timeout: 60s }, { id: b, run: f, timeout: 10s }]')
  const first = world.row(row.runKey).nextWakeAt ?? Number.NaN
  await process.advancer.advance(row.runKey, { reports: [done('a')] })
  expect(first - (world.row(row.runKey).nextWakeAt ?? Number.NaN)).toBe(50_000)
})
