/** The store is the only durable truth: what a process held in memory is worth nothing beyond it (STO-01, STO-07, STO-10). */
import { describe, expect, it } from 'vitest'
import { readSnapshot, projectSnapshot } from '../../src/app/project/read-snapshot.ts'
import { packState } from '../../src/core/run/state/checkpoint.ts'
import { summaryOf } from '../../src/core/run/summary.ts'
import { World } from '../fixtures/virtual-world.ts'

const PLAN = `
policy: { onFailure: continue, retry: { maxAttempts: 2, initialBackoffMs: 60000 } }
steps:
  - { id: a, run: ok, dependsOn: [] }
  - { id: b, run: slow, dependsOn: [a] }
  - { id: c, run: bad, dependsOn: [] }
  - { id: d, manual: { title: look }, dependsOn: [a] }
  - { id: e, forEach: "steps.a.output", run: slow, dependsOn: [a] }`

const script = {
  ok: () => [1, 2, 3],
  slow: 'hold' as const,
  bad: () => {
    throw new Error('not today')
  },
}

describe('everything a process knew', () => {
  it('is rebuilt equal from the store alone: state, row and what it shows [STO-01]', async () => {
    const world = new World()
    const first = world.process('first', { script })
    const key = await first.start(PLAN)
    await world.advanceBy(1000)
    const known = await first.advancer.current(key)
    const row = world.row(key)
    first.kill()
    const second = world.process('second', { script })
    const rebuilt = await second.advancer.current(key)
    expect(packState(rebuilt.state)).toEqual(packState(known.state))
    expect(row).toMatchObject(summaryOf(rebuilt.state))
    expect(row.status).toBe('RUNNING')
  })

  it('has the order in which one writer wrote it [STO-07]', async () => {
    const world = new World()
    const order: string[] = []
    const process = world.process('p', { script: { f: ({ context }) => void order.push(context.stepId) } })
    const key = await process.start(
      `steps: [{ id: z, run: f }, { id: m, run: f }, { id: a, run: f }, { id: k, run: f }]`,
    )
    await world.runUntil(() => world.hasEnded(key))
    expect(world.log(key, 'StepCompleted')).toEqual(order.map((id) => `StepCompleted ${id}#1`))
    const times = world.records(key).map(({ emittedAt }) => Date.parse(emittedAt))
    expect(times).toEqual([...times].sort((a, b) => a - b))
  })
})

describe('a snapshot', () => {
  it('from the stored view equals one projected anew, and an unknown run has none', async () => {
    const world = new World()
    const process = world.process('p', { script })
    const key = await process.start(PLAN)
    await world.advanceBy(1000)
    const { store, advancer } = process
    const run = world.row(key)
    const cached = await readSnapshot(store, advancer.plans, run)
    expect(cached).toEqual(await projectSnapshot(store, advancer.plans, run))
    expect(cached).toMatchObject({ ok: true, value: { status: 'RUNNING', runId: run.runId } })
    const past = await readSnapshot(store, advancer.plans, run, 3)
    expect(past).toMatchObject({ ok: true, value: { lastEventSeq: 3 } })
    for (const unknown of [
      { tenantId: 'local', runId: 'nobody' },
      { tenantId: 'other', runId: run.runId },
    ]) {
      expect(await readSnapshot(store, advancer.plans, unknown)).toEqual({ ok: true, value: null })
      expect(await projectSnapshot(store, advancer.plans, unknown)).toEqual({ ok: true, value: null })
    }
  })
})
