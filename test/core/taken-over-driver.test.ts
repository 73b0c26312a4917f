/** Who takes a run over, and who lets go of it: a driver that lost it does, and what has ended is taken over by nobody. */
import { expect, it } from 'vitest'
import { KeelsonError, problem } from '../../src/core/problems/problem.ts'
import type { RunRow, RunStore } from '../../src/ports/run-store.ts'
import { World } from '../fixtures/virtual-world.ts'

it('a run taken over is let go of although another caller of the process was told first [I9]', async () => {
  const world = new World()
  let isCut = false
  const first = world.process('first', {
    script: { f: 'hold' },
    wrapStore: (store) => ({
      ...store,
      acquireLease: async (...given) => {
        if (isCut) throw new KeelsonError([problem('STORE_UNAVAILABLE', 'no lease today')])
        return store.acquireLease(...given)
      },
    }),
  })
  const key = await first.start('steps: [{ id: a, run: f }, { id: b, run: g }]')
  isCut = true
  world.process('second', { adoptOthers: true, script: { f: 'hold' } })
  await world.runUntil(() => world.row(key).epoch === 2)
  await expect(first.advancer.advance(key)).rejects.toMatchObject({ code: 'RUN_EPOCH_STALE' })

  world.calls.find(({ process }) => process === 'first')?.resolve()
  await world.advanceBy(1000)
  expect(first.lost).toMatchObject([{ runKey: key, problem: { code: 'RUN_EPOCH_STALE' } }])
  expect(first.engine.drives(key)).toBe(false)
  expect(world.log(key, 'StepCompleted')).toEqual([])
  world.calls.find(({ process }) => process === 'second')?.resolve()
  await world.runUntil(() => world.hasEnded(key))
  expect(world.called()).toEqual(['a#1/1', 'a#1/2', 'b#1/1'])
})

it.each(['the process that drove it', 'another process'])(
  'a run that ended after it was found due is not taken over by %s [P-27]',
  async (which) => {
    const world = new World()
    let found: RunRow[] = []
    const wrapStore = (store: RunStore): RunStore => ({
      ...store,
      dueRuns: async (...given) => [...found.splice(0), ...(await store.dueRuns(...given))],
    })
    const others = which === 'another process'
    const first = world.process('first', { adoptOthers: true, script: { f: 'hold' }, ...(others ? {} : { wrapStore }) })
    if (others) world.process('second', { adoptOthers: true, wrapStore })
    const key = await first.start('steps: [{ id: a, run: f }]')
    const whileItRan = world.row(key)
    world.calls[0]?.resolve()
    await world.runUntil(() => world.hasEnded(key))
    const ended = world.row(key)

    // By then the lease of its driver has run out.
    await world.advanceBy(60_000)
    found = [whileItRan]
    await world.advanceBy(1000)
    expect(found).toEqual([])
    expect(world.row(key)).toMatchObject({ epoch: 1, status: 'COMPLETED', nextSeq: ended.nextSeq })
    expect(world.row(key).lease?.owner).not.toBe('second')
  },
)

it('a turn that takes over a run which has ended leaves its epoch as it was [P-27]', async () => {
  const world = new World()
  const only = world.process('only', { script: { f: () => 1 } })
  const key = await only.start('steps: [{ id: a, run: f }]')
  await world.runUntil(() => world.hasEnded(key))
  expect(await only.advancer.advance(key, { adopt: true })).toMatchObject({ terminal: true, epoch: 1, effects: [] })
  expect(world.row(key).epoch).toBe(1)
})
