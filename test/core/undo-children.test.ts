/** Finished child runs are undone when their parent fails: by a run of their own plan, once, whatever dies on the way. */
import { describe, expect, it } from 'vitest'
import { childRunId } from '../../src/app/child-end.ts'
import { forkRun } from '../../src/app/fork-run.ts'
import type { StartAnswer } from '../../src/app/start-run.ts'
import { LOCAL_PRINCIPAL } from '../../src/app/principal.ts'
import { verifyDecisions } from '../../src/app/verify-decisions.ts'
import type { RunKey, RunRow } from '../../src/ports/run-store.ts'
import { World, type Process, type ProcessOptions, type Script } from '../fixtures/virtual-world.ts'

const POLICY = 'version: 1.0.0\npolicy: { retry: { maxAttempts: 1 } }'
const plan = (id: string, steps: string): string => `plan: ${id}\n${POLICY}\n${steps}`

const CHILD = plan(
  'child',
  `steps:
  - { id: hold, run: hold, with: { n: "\${input.n}" }, compensate: { run: free, with: { n: "\${steps.hold.output}", of: "\${run.id}" } } }
  - { id: book, run: book, compensate: { run: unbook } }`,
)
const PARENT = plan(
  'parent',
  `steps:
  - { id: first, run: first, compensate: { run: unfirst } }
  - { id: call, plan: { planId: child }, with: { n: 7 }, effect: compensatable }
  - { id: bad, run: bad }`,
)

const failing: Script = {
  bad: () => Promise.reject(new Error('no')),
  hold: ({ input }) => `held ${(input as { n: number }).n}`,
}

interface Told {
  readonly world: World
  readonly process: Process
  readonly parent: RunKey
}

async function family(plans: readonly string[], options: ProcessOptions = {}): Promise<Told> {
  const world = new World()
  const process = world.process('only', { ...options, script: { ...failing, ...options.script } })
  const [own = '', ...children] = plans
  for (const child of children) await process.publish(child)
  const parent = await process.start(own)
  return { world, process, parent }
}

async function told(plans: readonly string[], options: ProcessOptions = {}): Promise<Told> {
  const all = await family(plans, options)
  await all.world.runUntil(() => all.world.hasEnded(all.parent))
  return all
}

const rows = (world: World): readonly RunRow[] => world.disk.runs.map(({ row }) => row)

/** Runs that undo others. */
const undoing = (world: World): readonly RunRow[] =>
  rows(world).filter(({ parent }) => parent?.slot.startsWith('COMP:') === true)

const startOf = (world: World, { runKey }: RunRow): Readonly<Record<string, unknown>> | undefined =>
  world.records(runKey).find(({ eventType }) => eventType === 'RunStarted')?.payload

const endOf = (world: World, runKey: RunKey): Readonly<Record<string, unknown>> | undefined =>
  world.records(runKey).findLast(({ eventType }) => /^Run(Completed|Failed|Cancelled)$/.test(eventType))?.payload

/** Names of hooks in the order in which they were called. */
const hooks = (world: World): readonly string[] =>
  world.calls.filter(({ name }) => /^(un|free)/.test(name)).map(({ name }) => name)

/** Every decision of every run of the world follows from its log. */
async function expectVerified({ world, process }: Told): Promise<void> {
  for (const { runKey, planSha256 } of rows(world)) {
    const report = verifyDecisions(world.records(runKey), await process.advancer.plans.get(planSha256))
    expect([report.differences, report.notDerivable]).toEqual([[], []])
  }
}

describe('a finished child', () => {
  it('is undone when its parent fails, in its turn and newest first, by a run that names it [CMP-03]', async () => {
    const all = await told([PARENT, CHILD])
    const { world, parent } = all
    const [undo] = undoing(world)
    const child = childRunId(world.row(parent).runId, 'call', 1)
    expect(hooks(world)).toEqual(['unbook', 'free', 'unfirst'])
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

  it('is left alone when the step does not say that it can be undone, or has a hook of its own', async () => {
    const silent = await told([PARENT.replace(', effect: compensatable', ''), CHILD])
    expect(hooks(silent.world)).toEqual(['unfirst'])
    expect(endOf(silent.world, silent.parent)).toMatchObject({ compensation: { notCompensable: 1 } })
    const own = await told([PARENT.replace('effect: compensatable', 'compensate: { run: uncall }'), CHILD])
    expect(hooks(own.world)).toEqual(['uncall', 'unfirst'])
    expect(undoing(own.world)).toEqual([])
  })

  it('that did nothing that has a hook is undone at once', async () => {
    const all = await told([PARENT, plan('child', 'steps: [{ id: look, run: look }]')])
    expect(undoing(all.world).map(({ status }) => status)).toEqual(['COMPLETED'])
    expect(hooks(all.world)).toEqual(['unfirst'])
    await expectVerified(all)
  })

  it('is not undone when the parent completes or is cancelled [X-76]', async () => {
    const good = await told([PARENT, CHILD], { script: { bad: () => 1 } })
    expect([good.world.row(good.parent).status, hooks(good.world)]).toEqual(['COMPLETED', []])
    const { world, process, parent } = await family([PARENT, CHILD], { script: { bad: 'hold' } })
    await world.runUntil(() => world.called('bad').length === 1)
    await process.signal(parent, 'CANCEL')
    await world.runUntil(() => world.hasEnded(parent))
    expect([world.row(parent).status, hooks(world)]).toEqual(['CANCELLED', []])
  })

  it('that had undone itself is not undone again', async () => {
    const child = `${CHILD}\n  - { id: last, run: bad }`
    const { world, parent } = await told([PARENT, child])
    expect(hooks(world)).toEqual(['unbook', 'free', 'unfirst'])
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
    expect(hooks(all.world)).toEqual(['unbook', 'free', 'unbefore', 'unfirst'])
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
    expect(hooks(world)).toHaveLength(6)
    expect(
      undoing(world)
        .map((row) => row.parent?.slot)
        .sort(),
    ).toEqual(['COMP:call[0]', 'COMP:call[1]', 'COMP:call[2]'])
    expect(endOf(world, parent)).toMatchObject({ compensation: { done: 3, failed: 0 } })
    await expectVerified(all)
  })

  it('a child’s own items, fallbacks and captured values are there for its hooks', async () => {
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
    expect(hooks(world)).toEqual(['unrisky', 'unfan', 'unfan', 'unfirst'])
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
    expect(hooks(world)).toEqual(['free'])
    expect(endOf(world, parent)).toMatchObject({ compensation: { done: 1, failed: 0, slots: ['call'] } })
    await expectVerified(all)
  })
})

describe('what cannot be undone', () => {
  it('fails the run that undoes, which names it; the parent says so, and the rest is undone [CMP-05, CMP-06]', async () => {
    const all = await told([PARENT, CHILD], { script: { unbook: () => Promise.reject(new Error('closed')) } })
    const { world, parent } = all
    const [undo] = undoing(world)
    expect(undo).toMatchObject({ status: 'FAILED', errorCode: 'COMPENSATION_INCOMPLETE' })
    expect(hooks(world)).toEqual(['unbook', 'unbook', 'free', 'unfirst'])
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
    await world.runUntil(() => hooks(world).length === 1)
    await process.signal(parent, 'EMERGENCY_STOP', { reason: 'fire' })
    await world.runUntil(() => undoing(world).every(({ runKey }) => world.hasEnded(runKey)))
    expect(world.row(parent).status).toBe('FAILED')
    expect(endOf(world, parent)).toMatchObject({
      compensation: { unfinished: 2, actions: [{ slot: 'call', result: 'unfinished', attempts: 1 }] },
    })
    expect(undoing(world).map(({ status }) => status)).toEqual(['FAILED'])
    expect(hooks(world)).toEqual(['unbook'])
    await expectVerified(all)
  })

  it('pausing or cancelling the run that undoes changes nothing [X-76]', async () => {
    const { world, process, parent } = await family([PARENT, CHILD], { script: { unbook: 'hold' } })
    await world.runUntil(() => hooks(world).length === 1)
    const undo = undoing(world)[0]?.runKey ?? 0
    for (const signal of ['PAUSE', 'CANCEL'] as const) await process.signal(undo, signal)
    world.calls.find(({ name }) => name === 'unbook')?.resolve()
    await world.runUntil(() => world.hasEnded(parent))
    expect([world.row(undo).status, hooks(world)]).toEqual(['COMPLETED', ['unbook', 'free', 'unfirst']])
  })
})

describe('a crash', () => {
  it.each(['unbook', 'free', 'unfirst'])('while %s is at work repeats that hook alone, and says so', async (hook) => {
    const all = await family([PARENT, CHILD], { script: { [hook]: 'hold' } })
    const { world, process, parent } = all
    await world.runUntil(() => hooks(world).includes(hook))
    process.kill()
    const second = world.process('second', { adoptOthers: true, script: failing })
    await world.runUntil(() => world.hasEnded(parent))
    const expected = ['unbook', 'free', 'unfirst'].flatMap((name) => (name === hook ? [name, name] : [name]))
    expect(hooks(world)).toEqual(expected)
    expect(undoing(world)).toHaveLength(1)
    const twice = rows(world).flatMap(({ runKey }) =>
      world.records(runKey).filter(({ eventType, payload }) => {
        return eventType === 'CompensationCompleted' && payload?.['mayHaveRunTwice'] === true
      }),
    )
    expect(twice.map(({ stepId }) => stepId)).toEqual([{ unbook: 'book', free: 'hold', unfirst: 'first' }[hook]])
    await expectVerified({ world, process: second, parent })
  })

  it('right after the child was undone loses nothing: its end waits in the inbox [P-29]', async () => {
    const all = await family([PARENT, CHILD], { script: { free: 'hold' } })
    const { world, process, parent } = all
    await world.runUntil(() => hooks(world).includes('free'))
    world.calls.findLast(({ name }) => name === 'free')?.resolve()
    await world.runUntil(() => undoing(world).every(({ runKey }) => world.hasEnded(runKey)))
    process.kill()
    expect(hooks(world)).toEqual(['unbook', 'free'])
    world.process('second', { adoptOthers: true, script: failing })
    await world.runUntil(() => world.hasEnded(parent))
    expect(hooks(world)).toEqual(['unbook', 'free', 'unfirst'])
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
    expect(hooks(world)).toEqual(['unbook', 'free'])
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
