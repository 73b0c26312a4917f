/** Pausing a plan, a tenant or the fleet at once. */
import { describe, expect, it } from 'vitest'
import { pauseScope, resumeScope } from '../../src/app/inbox/scope-pauses.ts'
import { World } from '../fixtures/virtual-world.ts'

const TWO = 'steps:\n  - { id: a, run: f }\n  - { id: b, run: f }\n'

describe('a pause of a whole scope', () => {
  it('reaches a run in flight at once, drains it, and its end resumes just what it paused [P-23]', async () => {
    const world = new World()
    const process = world.process('one', { script: { f: 'hold' } })
    const run = await process.start(TWO)
    const pause = await pauseScope(process.services, {
      setBy: 'ana',
      tenantId: 'local',
      scope: 'plan:story',
      reason: 'stock count',
    })
    await world.advanceBy(1000)
    expect(world.row(run)).toMatchObject({ status: 'PAUSED', substatus: 'DRAINING' })
    world.calls[0]?.resolve()
    await world.advanceBy(1000)
    expect(world.called('f')).toEqual(['a#1/1'])
    await resumeScope(process.services, 'local', pause)
    await world.advanceBy(1000)
    expect(world.called('f')).toEqual(['a#1/1', 'b#1/1'])
    const paused = world.records(run).find((record) => record.eventType === 'RunPaused')
    expect(paused?.payload).toMatchObject({ scope: 'plan:story', reason: 'stock count' })
    expect(world.log(run, 'RunPaused', 'RunResumed')).toEqual(['RunPaused RUN#1', 'RunResumed RUN#1'])
  })

  it.each(['tenant', 'fleet'] as const)('makes a run that starts under it start paused: %s [P-23]', async (scope) => {
    const world = new World()
    const process = world.process('one', { script: { f: () => 1 } })
    await pauseScope(process.services, { setBy: 'ana', tenantId: 'local', scope })
    const run = await process.start(TWO)
    await world.advanceBy(5000)
    expect(world.log(run)).toEqual(['RunApproved RUN#1', 'RunStarted RUN#1', 'RunPaused RUN#1'])
    expect(world.calls).toEqual([])
  })

  it('leaves runs of other plans alone', async () => {
    const world = new World()
    const process = world.process('one', { script: { f: () => 1 } })
    await pauseScope(process.services, { setBy: 'ana', tenantId: 'local', scope: 'plan:another' })
    const run = await process.start(TWO)
    await world.runUntil(() => world.hasEnded(run))
    expect(world.row(run).status).toBe('COMPLETED')
  })

  it('does not resume a run that a person paused', async () => {
    const world = new World()
    const process = world.process('one', { script: { f: 'hold' } })
    const run = await process.start(TWO)
    await process.signal(run, 'PAUSE')
    const pause = await pauseScope(process.services, { setBy: 'ana', tenantId: 'local', scope: 'tenant' })
    await world.advanceBy(1000)
    await resumeScope(process.services, 'local', pause)
    await world.advanceBy(1000)
    expect(world.row(run).status).toBe('PAUSED')
  })
})
