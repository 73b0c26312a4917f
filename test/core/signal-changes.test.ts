/** Signals that change what a run does: its parameters, the next attempt of a step, a new run after its end. */
import { describe, expect, it } from 'vitest'
import { forkRun } from '../../src/app/start/fork-run.ts'
import { LOCAL_PRINCIPAL } from '../../src/app/principal.ts'
import { World } from '../fixtures/virtual-world.ts'
import { running, codeOf } from '../fixtures/signalled-run.ts'

describe('changes of a run', () => {
  it('UPDATE_PARAMS reaches steps not yet started, and leaves earlier ones and their repeats alone [SIG-13]', async () => {
    const world = new World()
    const process = world.process('first', { script: { slow: 'hold' } })
    const plan = `
policy: { retry: { maxAttempts: 1 } }
steps: [{ id: a, run: slow, with: { n: "\${input.n}" } }, { id: b, run: f, with: { n: "\${input.n}", m: "\${input.m}" } }]`
    const key = await process.start(plan, { input: { n: 1, m: 5 } })
    await process.signal(key, 'UPDATE_PARAMS', { params: { n: 2 }, reason: 'a mistake' })
    process.kill()
    world.process('second', { adoptOthers: true })
    await world.runUntil(() => world.hasEnded(key))
    expect(world.calls.map(({ context, input }) => [context.stepId, input])).toEqual([
      ['a', { n: 1 }],
      ['a', { n: 1 }],
      ['b', { n: 2, m: 5 }],
    ])
    expect(world.calls[0]?.context.idempotencyKey).toBe(world.calls[1]?.context.idempotencyKey)
  })

  it('INJECT_OVERRIDE and UPDATE_TARGET reach the next attempt of their step only [SIG-13]', async () => {
    const world = new World()
    const first = world.process('first', { script: { slow: 'hold' } })
    const key = await first.start(`
policy: { onFailure: hold, retry: { maxAttempts: 1 } }
steps: [{ id: a, run: slow, with: { n: 1, target: main } }, { id: b, run: f, with: { n: 7 } }]`)
    await first.signal(key, 'INJECT_OVERRIDE', { stepId: 'a', override: { n: 9 }, reason: 'a mistake' })
    await first.signal(key, 'UPDATE_TARGET', { stepId: 'a', newTarget: { db: 'mirror' }, reason: 'a mistake' })
    first.kill()
    const second = world.process('second', {
      adoptOthers: true,
      script: {
        slow: ({ context }) => {
          if (context.attempt === 1) throw new Error('no')
        },
      },
    })
    await world.runUntil(() => world.row(key).substatus === 'embedded/HOLDING')
    await second.signal(key, 'RETRY_STEP', { stepId: 'a' })
    await world.runUntil(() => world.hasEnded(key))
    expect(
      world.calls.map(({ context, input }) => [`${context.stepId}#${context.attempt}/${context.engineAttempt}`, input]),
    ).toEqual([
      ['a#1/1', { n: 1, target: 'main' }],
      ['a#1/2', { n: 1, target: 'main' }],
      ['a#2/1', { n: 9, target: { db: 'mirror' } }],
      ['b#1/1', { n: 7 }],
    ])
    expect(world.log(key, 'SignalAccepted')).toHaveLength(3)
  })

  it('RETRY_RUN makes a new run that names the old one, and the old log only grows by what may follow its end [SIG-07, P-31]', async () => {
    const world = new World()
    let healthy = false
    const process = world.process('only', {
      script: {
        g: () => {
          if (!healthy) throw new Error('down')
        },
      },
    })
    const key = await process.start(`
policy: { retry: { maxAttempts: 1 } }
steps: [{ id: a, run: f, effect: none }, { id: b, run: g }]`)
    await world.runUntil(() => world.hasEnded(key))
    const before = world.disk.runs[key - 1]?.events.map((event) => event.record)
    const old = world.row(key)
    healthy = true
    const signalId = await process.signal(key, 'RETRY_RUN', { reason: 'it is up again' })
    await process.advancer.advance(key)
    const fork = await forkRun(process.services, process.advancer, {
      row: world.row(key),
      principal: LOCAL_PRINCIPAL,
      engine: { engineType: 'embedded', maxInFlight: 10 },
      signalId,
    })
    if (fork.kind === 'started') process.engine.drive(fork.row.runKey, fork.report)
    await world.runUntil(() => world.hasEnded(fork.row.runKey))

    expect(fork.row.runId).not.toBe(old.runId)
    expect(world.records(fork.row.runKey).find((record) => record.eventType === 'RunStarted')?.payload).toMatchObject({
      originalRunId: old.runId,
    })
    expect(world.row(fork.row.runKey)).toMatchObject({ status: 'COMPLETED', originalRunId: old.runId })
    expect(world.called()).toEqual(['a#1/1', 'b#1/1', 'b#1/1'])
    const after = world.disk.runs[key - 1]?.events.map((event) => event.record)
    expect(after?.slice(0, before?.length)).toEqual(before)
    expect(world.log(key).slice(before?.length)).toEqual(['SignalAccepted RUN#1', 'RunForked RUN#1'])
    expect(world.row(key).status).toBe('FAILED')
  })

  it('a run that has not ended is not marked as forked [P-31]', async () => {
    const { world, process, key } = await running()
    const request = {
      row: world.row(key),
      principal: LOCAL_PRINCIPAL,
      engine: { engineType: 'embedded', maxInFlight: 10 },
    } as const
    expect(await codeOf(forkRun(process.services, process.advancer, request))).toBe('RUN_NOT_TERMINAL')
    await process.advancer.advance(key, {
      inputs: [{ kind: 'fork', payload: { newRunId: 'x', atSeq: 1, planVersion: '1' } }],
    })
    expect(world.log(key, 'RunForked')).toEqual([])
    expect(world.disk.runs).toHaveLength(1)
  })
})
