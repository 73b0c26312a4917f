/** Finished child runs are undone when their parent fails: by a run of their own plan, once, whatever dies on the way. */
import { describe, expect, it } from 'vitest'
import { childRunId } from '../../src/app/log/derived-uuid.ts'
import type { RunRow } from '../../src/ports/run-store.ts'
import { type Script } from '../fixtures/virtual-world.ts'
import {
  plan,
  CHILD,
  PARENT,
  family,
  told,
  undoing,
  startOf,
  endOf,
  compensations,
  expectVerified,
} from '../fixtures/undone-family.ts'

describe('a finished child', () => {
  it('is undone when its parent fails, in its turn and newest first, by a run that names it [CMP-03]', async () => {
    const all = await told([PARENT, CHILD])
    const { world, parent } = all
    const [undo] = undoing(world)
    const child = childRunId(world.row(parent).runId, 'call', 1)
    expect(compensations(world)).toEqual(['unbook', 'free', 'unfirst'])
    expect(undo).toMatchObject({
      status: 'COMPLETED',
      originalRunId: child,
      parent: { runId: world.row(parent).runId, slot: 'COMP:call', attempt: 1 },
    })
    expect(startOf(world, undo as RunRow)).toMatchObject({ compensationOf: child })
    expect(startOf(world, undo as RunRow)).not.toHaveProperty('originalRunId')
    expect(endOf(world, undo?.runKey ?? 0)).toMatchObject({
      compensation: { done: 2, failed: 0, slots: ['book', 'hold'] },
    })
    expect(endOf(world, parent)).toMatchObject({
      compensation: {
        done: 2,
        failed: 0,
        notCompensable: 0,
        actions: [
          { slot: 'call', result: 'undone', attempts: 1 },
          { slot: 'first', result: 'undone', attempts: 1 },
        ],
      },
    })
    await expectVerified(all)
  })

  it('is undone under the keys, the id and the values of the run that did the work [CMP-02]', async () => {
    const { world, parent } = await told([PARENT, CHILD])
    const child = childRunId(world.row(parent).runId, 'call', 1)
    const free = world.calls.find(({ name }) => name === 'free')
    expect(free?.input).toEqual({ n: 'held 7', of: child })
    expect(free?.context).toMatchObject({ idempotencyKey: `${child}:hold:compensate`, runId: child })
  })

  it('is left alone when the step does not say that it can be undone, or has a compensation of its own', async () => {
    const silent = await told([PARENT.replace(', effect: compensatable', ''), CHILD])
    expect(compensations(silent.world)).toEqual(['unfirst'])
    expect(endOf(silent.world, silent.parent)).toMatchObject({ compensation: { notCompensable: 1 } })
    const own = await told([PARENT.replace('effect: compensatable', 'compensate: { run: uncall }'), CHILD])
    expect(compensations(own.world)).toEqual(['uncall', 'unfirst'])
    expect(undoing(own.world)).toEqual([])
  })

  it('that did nothing that has a compensation is undone at once', async () => {
    const all = await told([PARENT, plan('child', 'steps: [{ id: look, run: look }]')])
    expect(undoing(all.world).map(({ status }) => status)).toEqual(['COMPLETED'])
    expect(compensations(all.world)).toEqual(['unfirst'])
    await expectVerified(all)
  })

  it('is not undone when the parent completes or is cancelled [X-76]', async () => {
    const good = await told([PARENT, CHILD], { script: { bad: () => 1 } })
    expect([good.world.row(good.parent).status, compensations(good.world)]).toEqual(['COMPLETED', []])
    const { world, process, parent } = await family([PARENT, CHILD], { script: { bad: 'hold' } })
    await world.runUntil(() => world.called('bad').length === 1)
    await process.signal(parent, 'CANCEL')
    await world.runUntil(() => world.hasEnded(parent))
    expect([world.row(parent).status, compensations(world)]).toEqual(['CANCELLED', []])
  })

  it('that had undone itself is not undone again', async () => {
    const child = `${CHILD}\n  - { id: last, run: bad }`
    const { world, parent } = await told([PARENT, child])
    expect(compensations(world)).toEqual(['unbook', 'free', 'unfirst'])
    expect(undoing(world)).toEqual([])
    expect(world.row(parent).errorCode).toBe('CHILD_FAILED')
  })
})

describe('children of children, items and fallbacks', () => {
  it('are undone with the run they belong to, the innermost like the outermost', async () => {
    const middle = plan(
      'middle',
      `steps:
  - { id: before, run: before, compensate: { run: unbefore } }
  - { id: inner, plan: { planId: child }, with: { n: 1 }, effect: compensatable }`,
    )
    const outer = PARENT.replace('planId: child', 'planId: middle')
    const all = await told([outer, middle, CHILD])
    expect(compensations(all.world)).toEqual(['unbook', 'free', 'unbefore', 'unfirst'])
    expect(undoing(all.world).map(({ planId, status }) => [planId, status])).toEqual([
      ['middle', 'COMPLETED'],
      ['child', 'COMPLETED'],
    ])
    await expectVerified(all)
  })

  it('a fan-out of child runs is undone item by item', async () => {
    const fan = plan(
      'fan',
      `context: { list: [1, 2, 3] }
steps:
  - { id: call, plan: { planId: child }, forEach: context.list, with: { n: "\${item}" }, effect: compensatable }
  - { id: bad, run: bad }`,
    )
    const all = await told([fan, CHILD])
    const { world, parent } = all
    expect(compensations(world)).toHaveLength(6)
    expect(
      undoing(world)
        .map((row) => row.parent?.slot)
        .sort(),
    ).toEqual(['COMP:call[0]', 'COMP:call[1]', 'COMP:call[2]'])
    expect(endOf(world, parent)).toMatchObject({ compensation: { done: 3, failed: 0 } })
    await expectVerified(all)
  })

  it('a child’s own items, fallbacks and captured values are there for its compensations', async () => {
    const child = plan(
      'child',
      `context: { seen: 0, all: [] }
steps:
  - { id: list, run: list, capture: [{ destination: seen }] }
  - { id: quiet, run: hold, forEach: steps.list.output, with: { n: "\${item}" } }
  - { id: fan, run: hold, forEach: steps.list.output, with: { n: "\${item}" }, compensate: { run: unfan, with: { item: "\${item}", all: "\${steps.quiet.output}", seen: "\${context.seen}" } } }
  - { id: risky, run: bad, fallback: { run: hold, with: { n: 9 } }, compensate: { run: unrisky, with: { got: "\${steps.risky.output}" } } }`,
    )
    const all = await told([PARENT, child], { script: { list: () => [4, 5] } })
    const { world } = all
    expect(compensations(world)).toEqual(['unrisky', 'unfan', 'unfan', 'unfirst'])
    const inputs = world.calls.filter(({ name }) => name.startsWith('un')).map(({ input }) => input)
    expect(inputs[0]).toEqual({ got: 'held 9' })
    expect(inputs.slice(1, 3)).toEqual([
      { item: 5, all: ['held 4', 'held 5'], seen: [4, 5] },
      { item: 4, all: ['held 4', 'held 5'], seen: [4, 5] },
    ])
    const [undo] = undoing(world)
    expect(world.log(undo?.runKey ?? 0, 'CompensationCompleted')).toEqual([
      'CompensationCompleted FALLBACK:risky#1',
      'CompensationCompleted fan[1]#1',
      'CompensationCompleted fan[0]#1',
    ])
    await expectVerified(all)
  })
})

describe('a child that was stopped because its parent fails', () => {
  it('has what it had finished by then undone', async () => {
    const side = plan(
      'side',
      `steps:
  - { id: call, plan: { planId: child }, with: { n: 1 }, effect: compensatable, dependsOn: [] }
  - { id: bad, run: later, dependsOn: [] }`,
    )
    const script: Script = {
      book: 'hold',
      later: async (_call, { after }) => after(1000).then(() => Promise.reject(new Error('no'))),
    }
    const all = await family([side, CHILD], { script })
    const { world, parent } = all
    await world.runUntil(() => world.hasEnded(parent))
    expect(world.row(2).status).toBe('CANCELLED')
    expect(compensations(world)).toEqual(['free'])
    expect(endOf(world, parent)).toMatchObject({ compensation: { done: 1, failed: 0, slots: ['call'] } })
    await expectVerified(all)
  })
})
