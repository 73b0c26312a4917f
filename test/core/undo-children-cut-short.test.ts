/** Undoing children that fails, is cut short by a crash, or is asked for by forks: each piece of work is undone once. */
import { describe, expect, it } from 'vitest'
import { forkRun } from '../../src/app/start/fork-run.ts'
import type { StartAnswer } from '../../src/app/start/start-request.ts'
import { LOCAL_PRINCIPAL } from '../../src/app/principal.ts'
import type { RunRow } from '../../src/ports/run-store.ts'
import { killedAfterTelling } from '../fixtures/killed-after-telling.ts'
import {
  CHILD,
  PARENT,
  failing,
  family,
  told,
  rows,
  undoing,
  endOf,
  compensations,
  expectVerified,
} from '../fixtures/undone-family.ts'

describe('what cannot be undone', () => {
  it('fails the run that undoes, which names it; the parent says so, and the rest is undone [CMP-05, CMP-06]', async () => {
    const all = await told([PARENT, CHILD], { script: { unbook: () => Promise.reject(new Error('closed')) } })
    const { world, parent } = all
    const [undo] = undoing(world)
    expect(undo).toMatchObject({ status: 'FAILED', errorCode: 'COMPENSATION_INCOMPLETE' })
    expect(compensations(world)).toEqual(['unbook', 'unbook', 'free', 'unfirst'])
    const failed = world.records(parent).find(({ eventType }) => eventType === 'CompensationFailed')
    expect(failed?.payload).toMatchObject({ error: { code: 'COMPENSATION_INCOMPLETE' }, final: true })
    expect(failed?.data).toMatchObject({ errorText: { message: `run ${undo?.runId} could not undo everything: book` } })
    expect(endOf(world, parent)).toMatchObject({
      compensation: { done: 1, failed: 1, actions: [{ slot: 'call', result: 'failed' }, { slot: 'first' }] },
    })
    await expectVerified(all)
  })

  it('an emergency stop of the parent stops the run that undoes its child [X-76]', async () => {
    const all = await family([PARENT, CHILD], { script: { unbook: 'hold' } })
    const { world, process, parent } = all
    await world.runUntil(() => compensations(world).length === 1)
    await process.signal(parent, 'EMERGENCY_STOP', { reason: 'fire' })
    await world.runUntil(() => undoing(world).every(({ runKey }) => world.hasEnded(runKey)))
    expect(world.row(parent).status).toBe('FAILED')
    expect(endOf(world, parent)).toMatchObject({
      compensation: { unfinished: 2, actions: [{ slot: 'call', result: 'unfinished', attempts: 1 }] },
    })
    expect(undoing(world).map(({ status }) => status)).toEqual(['FAILED'])
    expect(compensations(world)).toEqual(['unbook'])
    await expectVerified(all)
  })

  it('pausing or cancelling the run that undoes changes nothing [X-76]', async () => {
    const { world, process, parent } = await family([PARENT, CHILD], { script: { unbook: 'hold' } })
    await world.runUntil(() => compensations(world).length === 1)
    const undo = undoing(world)[0]?.runKey ?? 0
    for (const signal of ['PAUSE', 'CANCEL'] as const) await process.signal(undo, signal)
    world.calls.find(({ name }) => name === 'unbook')?.resolve()
    await world.runUntil(() => world.hasEnded(parent))
    expect([world.row(undo).status, compensations(world)]).toEqual(['COMPLETED', ['unbook', 'free', 'unfirst']])
  })
})

describe('a crash', () => {
  it.each(['unbook', 'free', 'unfirst'])(
    'while %s is at work repeats that compensation alone, and says so',
    async (compensation) => {
      const all = await family([PARENT, CHILD], { script: { [compensation]: 'hold' } })
      const { world, process, parent } = all
      await world.runUntil(() => compensations(world).includes(compensation))
      process.kill()
      const second = world.process('second', { adoptOthers: true, script: failing })
      await world.runUntil(() => world.hasEnded(parent))
      const expected = ['unbook', 'free', 'unfirst'].flatMap((name) => (name === compensation ? [name, name] : [name]))
      expect(compensations(world)).toEqual(expected)
      expect(undoing(world)).toHaveLength(1)
      const twice = rows(world).flatMap(({ runKey }) =>
        world.records(runKey).filter(({ eventType, payload }) => {
          return eventType === 'CompensationCompleted' && payload?.['mayHaveRunTwice'] === true
        }),
      )
      expect(twice.map(({ payload }) => payload?.['stepId'])).toEqual([
        { unbook: 'book', free: 'hold', unfirst: 'first' }[compensation],
      ])
      await expectVerified({ world, process: second, parent })
    },
  )

  it('right after the child was undone loses nothing: its end waits in the inbox [P-29]', async () => {
    const { wrapStore, arm } = killedAfterTelling()
    const { world, process, parent } = await family([PARENT, CHILD], { script: { free: 'hold' }, wrapStore })
    await world.runUntil(() => compensations(world).includes('free'))
    arm(process)
    world.calls.findLast(({ name }) => name === 'free')?.resolve()
    await world.runUntil(() => undoing(world).every(({ runKey }) => world.hasEnded(runKey)))
    expect(compensations(world)).toEqual(['unbook', 'free'])
    world.process('second', { adoptOthers: true, script: failing })
    await world.runUntil(() => world.hasEnded(parent))
    expect(compensations(world)).toEqual(['unbook', 'free', 'unfirst'])
  })
})

describe('forks', () => {
  it('that took a finished child over undo it once: no second one is made while the first may still undo it', async () => {
    const plain = (text: string): string =>
      text.replace('first, run: first, compensate: { run: unfirst }', 'first, run: first')
    const { world, process, parent } = await told([plain(PARENT).replace('effect: compensatable', ''), CHILD])
    const compiled = await process.publish(plain(PARENT).replace('version: 1.0.0', 'version: 1.0.1'))
    const fork = (): Promise<StartAnswer> =>
      forkRun(process.services, process.advancer, {
        row: world.row(parent),
        principal: LOCAL_PRINCIPAL,
        engine: { engineType: 'embedded', maxInFlight: 100 },
        plan: compiled,
        lease: process.engine.lease(),
      })
    const answer = await fork()
    await expect(fork()).rejects.toMatchObject({ code: 'FORK_UNDER_WAY' })
    if (answer.kind === 'started') process.engine.drive(answer.row.runKey, answer.report)
    await world.runUntil(() => world.hasEnded(answer.row.runKey))
    expect(endOf(world, answer.row.runKey)).toMatchObject({ compensation: { done: 1, failed: 0, slots: ['call'] } })
    expect(compensations(world)).toEqual(['unbook', 'free'])
    expect(undoing(world)).toHaveLength(1)
    // What the first has undone the next does anew.
    const next = await fork()
    expect(world.log(next.row.runKey, 'StepCompleted')).toEqual(['StepCompleted first#1'])
  })

  it('of a run that only undid another are refused', async () => {
    const { world, process } = await told([PARENT, CHILD])
    const row = undoing(world)[0] as RunRow
    const fork = forkRun(process.services, process.advancer, {
      row,
      principal: LOCAL_PRINCIPAL,
      engine: { engineType: 'embedded', maxInFlight: 100 },
    })
    await expect(fork).rejects.toMatchObject({ code: 'RUN_NOT_FORKABLE' })
  })
})
