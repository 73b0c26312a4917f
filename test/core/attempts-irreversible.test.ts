/** What may not happen twice is claimed before it happens; what nobody can know is held, not guessed (P-28). */
import { describe, expect, it } from 'vitest'
import type { RunStore } from '../../src/ports/run-store.ts'
import { scenario } from '../fixtures/scenario.ts'
import { World } from '../fixtures/virtual-world.ts'

const plan = (onFailure: string): string => `
policy: { onFailure: ${onFailure}, retry: { maxAttempts: 3 } }
steps:
  - { id: pay, run: pay, effect: irreversible, fallback: { run: other }, fallbackOn: [exhausted, permanent], dependsOn: [] }
  - { id: aside, run: f, dependsOn: [] }
  - { id: after, run: f, dependsOn: [pay] }`

describe('an irreversible attempt that had begun when its process died', () => {
  it('is never run again: INDETERMINATE, without retry or fallback, and the run is held under every policy [P-28]', async () => {
    for (const policy of ['failFast', 'continue', 'hold']) {
      const world = new World()
      const first = world.process('first', { script: { pay: 'hold' } })
      const key = await first.start(plan(policy))
      await world.runUntil(() => world.called('pay').length === 1)
      first.kill()
      const second = world.process('second', { adoptOthers: true })
      await world.runUntil(() => world.log(key, 'StepFailed').length === 1)
      await world.advanceBy(3_600_000)
      expect([policy, ...world.called('pay')]).toEqual([policy, 'pay#1/1'])
      expect(world.called('other')).toEqual([])
      const failed = world.records(key).find((record) => record.eventType === 'StepFailed')
      expect(failed?.payload).toMatchObject({ error: { code: 'INDETERMINATE' }, final: true, mayHaveRunTwice: true })
      expect(world.log(key, 'StepCompleted')).toEqual(['StepCompleted aside#1'])
      expect(world.row(key)).toMatchObject({ status: 'RUNNING', substatus: 'embedded/HOLDING' })

      await second.signal(key, 'SKIP_STEP', { stepId: 'pay', reason: 'the bank says it was paid' })
      await world.runUntil(() => world.hasEnded(key))
      expect(world.row(key).status).toBe('COMPLETED')
    }
  })

  it('of one item holds the run although other items only failed [P-28]', () => {
    const run = scenario(
      `
policy: { onFailure: continue, retry: { maxAttempts: 1 } }
steps: [{ id: pay, forEach: "input.list", run: pay, effect: irreversible }]`,
      { facts: { pay: { items: 3 } } },
    ).start()
    run
      .fails('pay[0]')
      .adopted([{ slot: 'pay[1]', attempt: 1 }])
      .completes('pay[2]', null, { engineAttempt: 2 })
    expect(run.payload('StepFailed', 'pay[1]')).toMatchObject({ error: { code: 'INDETERMINATE' }, forced: true })
    expect(run.payload('StepFailed', 'pay')).toMatchObject({ error: { code: 'INDETERMINATE' } })
    expect(run.status).toBe('RUNNING')
    expect(run.substatus).toBe('embedded/HOLDING')
  })
})

describe('an irreversible attempt that ran out of time', () => {
  it('may still happen: INDETERMINATE, never retried, no fallback, and the run is held under every policy [P-28]', () => {
    for (const policy of ['failFast', 'continue', 'hold']) {
      for (const end of ['reported', 'backstop'] as const) {
        const run = scenario(plan(policy)).start()
        if (end === 'reported') run.fails('pay', { class: 'timeout', code: 'TIMEOUT' })
        run.completes('aside')
        run.at('+24h')
        expect([policy, end, ...run.dispatched()]).toEqual([policy, end, 'pay#1', 'aside#1'])
        expect(run.payload('StepFailed', 'pay')).toMatchObject({ error: { code: 'INDETERMINATE' }, final: true })
        expect([run.status, run.substatus]).toEqual(['RUNNING', 'embedded/HOLDING'])
      }
    }
  })

  it('is judged by its own error when the handler says that it failed', () => {
    const run = scenario(plan('continue')).start().fails('pay', { class: '5xx' })
    expect(run.payload('StepFailed', 'pay')).toMatchObject({ error: { errorClass: '5xx' }, final: false })
  })
})

describe('the begin-claim', () => {
  it('is on disk before the step acts, and who comes second executes nothing [P-28]', async () => {
    const world = new World()
    const order: string[] = []
    const watched = (store: RunStore): RunStore => ({
      ...store,
      claimAttempt: async (runKey, claim) => {
        const mine = await store.claimAttempt(runKey, claim)
        order.push(`claimed ${claim.slot} ${mine}`)
        return mine
      },
    })
    const first = world.process('first', { wrapStore: watched, script: { pay: () => order.push('acted') } })
    const key = await first.start(`steps: [{ id: ready, run: f }, { id: pay, run: pay, effect: irreversible }]`)
    await world.runUntil(() => world.hasEnded(key))
    expect(order).toEqual(['claimed pay true', 'acted'])

    const other = new World()
    const late = other.process('late', { wrapStore: watched, script: { pay: () => order.push('acted twice') } })
    const answer = await late.create(`steps: [{ id: pay, run: pay, effect: irreversible }]`)
    await late.store.claimAttempt(answer.row.runKey, { slot: 'pay', attempt: 1, claimant: 'somebody' })
    if (answer.kind === 'started') late.engine.drive(answer.row.runKey, answer.report)
    await other.advanceBy(1000)
    expect(order.slice(2)).toEqual(['claimed pay true', 'claimed pay false'])
    expect(other.row(answer.row.runKey).status).toBe('RUNNING')
  })

  it('is not asked of other effects: they run again after a crash, and say so [P-28]', async () => {
    const world = new World()
    const first = world.process('first', { script: { f: 'hold' } })
    const key = await first.start(`steps: [{ id: a, run: f, effect: idempotent }]`)
    first.kill()
    world.process('second', { adoptOthers: true })
    await world.runUntil(() => world.hasEnded(key))
    expect(world.called()).toEqual(['a#1/1', 'a#1/2'])
    expect(world.records(key).find((record) => record.eventType === 'StepCompleted')?.payload).toMatchObject({
      mayHaveRunTwice: true,
    })
    expect(world.disk.runs[0]?.claims.size).toBe(0)
  })
})
