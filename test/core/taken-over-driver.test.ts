/** A driver whose run was taken over lets go of it, whoever of its process learnt of that first. */
import { expect, it } from 'vitest'
import { KeelsonError, problem } from '../../src/core/problems/problem.ts'
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
