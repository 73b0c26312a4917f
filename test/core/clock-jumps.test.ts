/**
 * The wall clock is set by an hour while runs are under way, forward and back. What is meant by elapsed time takes its time,
 * what is meant by the clock goes by the clock, and nothing runs twice (P-25).
 */
import { describe, expect, it } from 'vitest'
import { verifyDecisions } from '../../src/app/rederive/verify-decisions.ts'
import { compileGraph } from '../../src/core/plan/compile/graph.ts'
import type { RunKey } from '../../src/ports/run-store.ts'
import { START } from '../fixtures/scenario.ts'
import { planOf, World, type Process } from '../fixtures/virtual-world.ts'

const HOUR = 3_600_000
const POLL_MS = 500

function differences(world: World, yaml: string, key: RunKey): readonly unknown[] {
  const { plan, sha256 } = planOf(yaml)
  const report = verifyDecisions(world.records(key), { plan, graph: compileGraph(plan), sha256 })
  return [...report.differences, ...report.notDerivable]
}

/** Elapsed milliseconds from now until the condition holds. */
async function elapsedUntil(world: World, condition: () => boolean): Promise<number> {
  const from = world.time.steady()
  await world.runUntil(condition, 3 * HOUR)
  return world.time.steady() - from
}

for (const [name, byMs] of [
  ['forward', HOUR],
  ['back', -HOUR],
  ['forward by two seconds', 2_000],
  ['back by two minutes', -120_000],
] as const)
  describe(`the clock is set ${name}`, () => {
    it('a backoff that has begun lasts as long as it was meant to [RTY-02, P-25]', async () => {
      const yaml = `
policy: { retry: { maxAttempts: 3, initialBackoffMs: 1500 } }
steps: [{ id: a, run: flaky }]`
      const world = new World()
      const flaky = (): unknown => {
        if (world.calls.length < 3) throw new Error('again')
        return 'done'
      }
      const process = world.process('only', { script: { flaky } })
      const key = await process.start(yaml)
      expect(world.called()).toEqual(['a#1/1'])
      world.time.jump(byMs)
      const first = await elapsedUntil(world, () => world.calls.length === 2)
      const second = await elapsedUntil(world, () => world.hasEnded(key))
      expect([first, second]).toEqual([1500, 3000])
      expect(world.row(key).status).toBe('COMPLETED')
      expect(process.jumps.map((jump) => jump.byMs)).toEqual([byMs])
      expect(differences(world, yaml, key)).toEqual([])
    })

    it('a healthy attempt does not time out, and no other runs beside it [RTY-06, P-26]', async () => {
      const yaml = `
policy: { retry: { maxAttempts: 3 } }
steps: [{ id: a, run: slow, timeoutMs: 60000 }]`
      const world = new World()
      const process = world.process('only', { script: { slow: (_call, { after }) => after(20_000) } })
      const key = await process.start(yaml)
      await world.advanceBy(1_000)
      world.time.jump(byMs)
      expect(await elapsedUntil(world, () => world.hasEnded(key))).toBe(19_000)
      expect(world.called()).toEqual(['a#1/1'])
      expect(world.log(key, 'StepFailed', 'StepCompleted')).toEqual(['StepCompleted a#1'])
      expect(differences(world, yaml, key)).toEqual([])
    })

    it('a wait for a time lasts that long, also when its run was let go of meanwhile [P-25]', async () => {
      const yaml = 'steps: [{ id: a, wait: { forMs: 30000 } }]'
      for (const adoptOthers of [false, true]) {
        const world = new World()
        const process = world.process('only', { adoptOthers, pollMs: POLL_MS })
        const key = await process.start(yaml)
        await world.advanceBy(12_000)
        expect(process.engine.drives(key)).toBe(!adoptOthers)
        world.time.jump(byMs)
        const took = await elapsedUntil(world, () => world.hasEnded(key))
        expect(took).toBeGreaterThanOrEqual(18_000)
        expect(took).toBeLessThanOrEqual(18_000 + 2 * POLL_MS)
        expect(differences(world, yaml, key)).toEqual([])
      }
    })

    it('a wait for an instant ends when the clock says so, beside a step that goes on [P-25]', async () => {
      const until = new Date(START + 2 * HOUR).toISOString()
      const yaml = `
steps:
  - { id: a, wait: { until: "${until}" }, dependsOn: [] }
  - { id: b, run: slow, timeoutMs: 90000000, dependsOn: [] }`
      const world = new World()
      const process = world.process('only', { pollMs: POLL_MS, script: { slow: 'hold' } })
      const key = await process.start(yaml)
      await world.advanceBy(60_000)
      world.time.jump(byMs)
      const done = (): boolean => world.log(key, 'StepCompleted').includes('StepCompleted a#1')
      await world.runUntil(done, 4 * HOUR)
      expect(world.time.now()).toBeGreaterThanOrEqual(START + 2 * HOUR)
      expect(world.time.now()).toBeLessThanOrEqual(START + 2 * HOUR + 2 * POLL_MS)
      world.calls[0]?.resolve('done')
      await world.runUntil(() => world.hasEnded(key))
      expect(world.called()).toEqual(['b#1/1'])
      expect(differences(world, yaml, key)).toEqual([])
    })

    it('a wait for an instant alone is on record at that instant or after it [P-25]', async () => {
      const until = new Date(START + 2 * HOUR).toISOString()
      const yaml = `steps: [{ id: a, wait: { until: "${until}" } }]`
      const world = new World()
      const process = world.process('only', { adoptOthers: true, pollMs: POLL_MS })
      const key = await process.start(yaml)
      await world.advanceBy(60_000)
      world.time.jump(byMs)
      await world.runUntil(() => world.hasEnded(key), 4 * HOUR)
      expect(world.time.now()).toBeGreaterThanOrEqual(START + 2 * HOUR)
      expect(world.time.now()).toBeLessThanOrEqual(START + 2 * HOUR + 2 * POLL_MS)
      expect(world.records(key).at(-1)?.emittedAt.localeCompare(until)).toBeGreaterThanOrEqual(0)
      expect(differences(world, yaml, key)).toEqual([])
    })

    it('a cancel keeps its grace, and a run its own time limit [CAN-01]', async () => {
      const world = new World()
      const process = world.process('only', { pollMs: POLL_MS, script: { f: 'hold' } })
      const key = await process.start('steps: [{ id: a, run: f }]')
      await process.signal(key, 'CANCEL')
      world.time.jump(byMs)
      expect(await elapsedUntil(world, () => world.hasEnded(key))).toBe(5_000)
      const limited = await process.start('policy: { runTimeoutMs: 60000 }\nsteps: [{ id: a, run: f }]')
      await world.advanceBy(10_000)
      world.time.jump(-byMs)
      const took = await elapsedUntil(world, () => world.hasEnded(limited))
      expect(took).toBe(50_000 + 5_000)
    })

    it('nobody takes a run from a process that lives, and a dead one is followed [P-30]', async () => {
      const world = new World()
      const options = { adoptOthers: true, pollMs: POLL_MS, leaseMs: 10_000, script: { f: 'hold' } } as const
      const first: Process = world.process('first', options)
      const key = await first.start('steps: [{ id: a, run: f }]')
      const second = world.process('second', options)
      await world.advanceBy(4_000)
      world.time.jump(byMs)
      await world.advanceBy(60_000)
      expect(world.called()).toEqual(['a#1/1'])
      first.kill()
      const took = await elapsedUntil(world, () => second.engine.drives(key))
      expect(took).toBeLessThanOrEqual(10_000 + 2 * POLL_MS)
    })

    it('a driver that dies just before is followed all the same [P-30]', async () => {
      const world = new World()
      const options = { adoptOthers: true, pollMs: POLL_MS, leaseMs: 10_000, script: { f: 'hold' } } as const
      const first = world.process('first', options)
      const key = await first.start('steps: [{ id: a, run: f }]')
      const second = world.process('second', options)
      await world.advanceBy(4_000)
      first.kill()
      world.time.jump(byMs)
      const took = await elapsedUntil(world, () => second.engine.drives(key))
      expect(took).toBeLessThanOrEqual(20_000 + 2 * POLL_MS)
    })
  })

it('a run whose log is ahead of the clock goes on from there after a restart [P-25]', async () => {
  const yaml = `
policy: { retry: { maxAttempts: 2, initialBackoffMs: 1500 } }
steps: [{ id: a, run: flaky }]`
  const world = new World()
  const first = world.process('first', { script: { flaky: 'hold' } })
  const key = await first.start(yaml)
  first.kill()
  world.time.jump(-HOUR)
  const flaky = (): unknown => {
    if (world.calls.length < 3) throw new Error('again')
    return 'done'
  }
  // It never saw the clock of before.
  const second = world.process('second', { adoptOthers: true, script: { flaky } })
  await second.store.releaseLease(key, 'first')
  expect(await second.engine.adopt(key)).toBe(true)
  expect(await elapsedUntil(world, () => world.hasEnded(key))).toBe(1500)
  expect(differences(world, yaml, key)).toEqual([])
})
