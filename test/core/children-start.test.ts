/** Starting a child run: it is held from its first moment, and no altered plan is ever run. */
import { describe, expect, it } from 'vitest'
import { pair } from '../../src/adapters/stores/memory/connect.ts'
import { CHILD, family, PARENT } from '../fixtures/parent-and-child.ts'
import { World } from '../fixtures/virtual-world.ts'

/** Changes the stored bytes of a plan behind everybody's back. */
function alter({ disk }: World, sha256: string): void {
  const key = pair('local', sha256)
  const stored = disk.plans.get(key)
  if (stored !== undefined) disk.plans.set(key, { ...stored, text: stored.text.replace('inner', 'other') })
}

describe('the start of a child run', () => {
  it('takes the lease with it, so that no other process takes it for an orphan [P-29]', async () => {
    const { world, parent } = await family({ script: { inner: 'hold' } })
    const other = world.process('other', { adoptOthers: true, pollMs: 1 })
    await world.advanceBy(30_000)
    expect(other.engine.drivenRuns).toBe(0)
    world.calls[0]?.resolve('made')
    await world.runUntil(() => world.hasEnded(parent))
    expect(world.disk.runs.map(({ row }) => row.epoch)).toEqual([1, 1])
    expect(world.called('inner')).toEqual(['inner#1/1'])
  })

  it('from bytes that no longer have their hash is refused, and the step fails [P-45]', async () => {
    const world = new World()
    const first = world.process('first', { script: { early: 'hold' } })
    const { sha256 } = await first.publish(CHILD)
    const plan = PARENT.replace('steps: [', 'steps: [{ id: early, run: early }, ')
    const parent = await first.start(plan)
    first.kill()
    alter(world, sha256)
    world.process('second', { adoptOthers: true, script: { early: () => 1 } })
    await world.runUntil(() => world.hasEnded(parent))
    expect(world.row(parent)).toMatchObject({ status: 'FAILED', errorCode: 'PLAN_INTEGRITY_VALIDATION_FAILED' })
    expect(world.disk.runs).toHaveLength(1)
    expect(world.called('inner')).toEqual([])
  })

  it('that is at work when its plan is altered fails it, and its parent is told in the same commit [P-29, P-45]', async () => {
    const { world, process, parent } = await family({ script: { inner: 'hold' } })
    await world.runUntil(() => world.called('inner').length === 1)
    process.kill()
    alter(world, world.row(2).planSha256)
    world.process('second', { adoptOthers: true, script: { inner: () => 1 } })
    await world.runUntil(() => world.hasEnded(parent))
    expect(world.row(2)).toMatchObject({ status: 'FAILED', errorCode: 'PLAN_INTEGRITY_VALIDATION_FAILED' })
    expect(world.row(parent)).toMatchObject({ status: 'FAILED', errorCode: 'CHILD_FAILED' })
    expect(world.called('inner')).toEqual(['inner#1/1'])
  })

  it('is stopped when the plan of its parent is altered, which ends the parent at once [P-29, P-45]', async () => {
    const { world, process, parent } = await family({ script: { inner: 'hold' } })
    await world.runUntil(() => world.called('inner').length === 1)
    process.kill()
    const key = pair('local', world.row(parent).planSha256)
    const stored = world.disk.plans.get(key)
    if (stored !== undefined) world.disk.plans.set(key, { ...stored, text: `${stored.text} ` })
    world.process('second', { adoptOthers: true, script: { inner: 'hold' } })
    await world.runUntil(() => world.hasEnded(2))
    expect(world.row(parent)).toMatchObject({ status: 'FAILED', errorCode: 'PLAN_INTEGRITY_VALIDATION_FAILED' })
    expect(world.row(2)).toMatchObject({ status: 'CANCELLED' })
  })

  it('from bytes that no longer have their hash is refused before its parent starts, if they had changed by then [P-45]', async () => {
    const world = new World()
    const { sha256 } = await world.process('publisher').publish(CHILD)
    alter(world, sha256)
    await expect(world.process('only').start(PARENT)).rejects.toMatchObject({
      code: 'PLAN_INTEGRITY_VALIDATION_FAILED',
    })
    expect(world.disk.runs).toEqual([])
  })
})
