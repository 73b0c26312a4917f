/** How a run begins: only on verified bytes, and not before its time. */
import { describe, expect, it } from 'vitest'
import { planOf, World } from '../fixtures/virtual-world.ts'

const TWO = 'steps:\n  - { id: a, run: f }\n  - { id: b, run: f }\n'
const ALTERED = 'PLAN_INTEGRITY_VALIDATION_FAILED'

describe('a plan whose bytes are not what was pinned', () => {
  it('before the start: no RunStarted, a P1 alert, RunFailed, nothing executed [SSM-16, P-45]', async () => {
    const world = new World()
    const process = world.process('one', { script: { f: () => 1 } })
    const plan = planOf(TWO)
    const run = await process.start(TWO, { plan: { ...plan, text: plan.text.replace('"a"', '"x"') } })
    expect(world.log(run)).toEqual(['RunApproved RUN#1', 'AlertRaised RUN#1', 'RunFailed RUN#1'])
    expect(world.row(run)).toMatchObject({ status: 'FAILED' })
    expect(world.records(run)[1]?.payload).toMatchObject({ code: ALTERED, priority: 'P1' })
    expect(world.calls).toEqual([])
  })

  it('found later: open attempts are closed, the run fails, no further step starts [SSM-16]', async () => {
    const world = new World()
    const first = world.process('one', { script: { f: 'hold' } })
    const run = await first.start(TWO)
    first.kill()
    await world.advanceBy(60_000)
    const second = world.process('two', {
      script: { f: () => 1 },
      adoptOthers: true,
      wrapStore: (store) => ({
        ...store,
        getPlan: async () => (await store.getPlan('local', world.row(run).planSha256))?.replace('"a"', '"x"'),
      }),
    })
    await world.runUntil(() => world.hasEnded(run))
    expect(world.log(run).slice(-3)).toEqual(['StepFailed a#1', 'AlertRaised RUN#1', 'RunFailed RUN#1'])
    expect(world.row(run)).toMatchObject({ status: 'FAILED', errorCode: ALTERED })
    expect(world.called()).toEqual(['a#1/1'])
    expect(second.isAlive()).toBe(true)
  })
})

describe('a delayed run', () => {
  it('is PENDING work until its instant and starts at it, by itself [X-85]', async () => {
    const world = new World()
    const process = world.process('one', { script: { f: () => 1 }, adoptOthers: true })
    const notBefore = world.time.now() + 60_000
    const run = await process.start(TWO, { admission: { policy: 'DELAY', notBefore, autoApprove: true } })
    await world.advanceBy(59_999)
    expect(world.log(run)).toEqual(['RunQueued RUN#1'])
    expect(world.row(run)).toMatchObject({ status: 'PENDING', nextWakeAt: notBefore })
    await world.runUntil(() => world.hasEnded(run), 5_000)
    const started = world.records(run).find((record) => record.eventType === 'RunStarted')
    expect(Date.parse(String(started?.payload?.['startedAt']))).toBeGreaterThanOrEqual(notBefore)
    expect(world.row(run).status).toBe('COMPLETED')
    expect(world.log(run).some((line) => line.includes('Delayed'))).toBe(false)
  })
})
