/** What a step was given stays what it was given: over retries, crashes and other steps' captures. */
import { describe, expect, it } from 'vitest'
import { applyCaptures } from '../../src/app/values/capture-output.ts'
import type { Capture } from '../../src/core/plan/plan.ts'
import { packState } from '../../src/core/run/state/checkpoint.ts'
import { locate } from '../../src/core/run/state/units.ts'
import { scenario } from '../fixtures/scenario.ts'
import { World } from '../fixtures/virtual-world.ts'

const inputsOf = (world: World, name: string): unknown[] =>
  world.calls.filter((call) => call.name === name).map(({ input }) => input)
const keysOf = (world: World, name: string): string[] =>
  world.calls.filter((call) => call.name === name).map(({ context }) => context.idempotencyKey)

describe('the input of a step', () => {
  it('is mapped over the context as of its first start: a capture meanwhile does not reach its retry [P-17]', async () => {
    const world = new World()
    const process = world.process('p', {
      script: {
        slow: ({ context }, { after }) =>
          after(10).then(() => (context.attempt < 3 ? Promise.reject(new Error('x')) : null)),
        write: () => 'new',
      },
    })
    const run = await process.start(`context: { word: old }
steps:
  - { id: a, run: slow, dependsOn: [], with: { word: '\${context.word}' } }
  - { id: b, run: write, dependsOn: [], capture: [{ destination: word }] }
  - { id: c, run: late, dependsOn: [b], with: { word: '\${context.word}' } }`)
    await world.runUntil(() => world.hasEnded(run))
    expect(inputsOf(world, 'slow')).toEqual([{ word: 'old' }, { word: 'old' }, { word: 'old' }])
    expect(inputsOf(world, 'late')).toEqual([{ word: 'new' }])
  })

  it('stays the same when a step it may name is retried and succeeds after its first start [P-17]', async () => {
    const world = new World()
    const process = world.process('p', {
      script: {
        first: ({ context }) => (context.attempt === 1 ? Promise.reject(new Error('x')) : 'now'),
        second: ({ context }) => (context.attempt === 1 ? Promise.reject(new Error('y')) : null),
      },
    })
    const run = await process.start(`policy: { onFailure: continue }
steps:
  - { id: a, run: first, retry: { maxAttempts: 1 } }
  - { id: b, run: second, with: { a: '\${steps.a.output}' } }
  - { id: c, run: third, with: { a: '\${steps.a.output}' } }`)
    await process.signal(run, 'RETRY_STEP', { stepId: 'a' })
    await world.runUntil(() => world.hasEnded(run))
    expect(inputsOf(world, 'second')).toEqual([{ a: null }, { a: null }])
    expect(new Set(keysOf(world, 'second')).size).toBe(1)
    expect(inputsOf(world, 'third')).toEqual([{ a: 'now' }])
  })

  it('is not changed for a running step by UPDATE_PARAMS, only for steps not yet started [P-17, SIG-13]', async () => {
    const world = new World()
    const process = world.process('p', {
      script: {
        f: ({ context }, { after }) =>
          after(10).then(() => (context.attempt === 1 ? Promise.reject(new Error('x')) : null)),
      },
    })
    const run = await process.start(
      "steps: [{ id: a, run: f, with: { n: '${input.n}' } }, { id: b, run: g, with: { n: '${input.n}' } }]",
      { input: { n: 1 } },
    )
    await process.signal(run, 'UPDATE_PARAMS', { params: { n: 2 }, reason: 'a mistake' })
    await world.runUntil(() => world.hasEnded(run))
    expect([inputsOf(world, 'f'), inputsOf(world, 'g')]).toEqual([[{ n: 1 }, { n: 1 }], [{ n: 2 }]])
  })

  it('is changed by INJECT_OVERRIDE for the next attempt, not for a re-dispatch of the one under way [P-17, SIG-13]', async () => {
    const world = new World()
    const first = world.process('first', { script: { f: 'hold' } })
    const run = await first.start('steps: [{ id: a, run: f, with: { n: 1 } }]')
    await first.signal(run, 'INJECT_OVERRIDE', { stepId: 'a', override: { n: 2 }, reason: 'a mistake' })
    first.kill()
    world.process('second', {
      script: { f: ({ context }) => (context.attempt === 1 ? Promise.reject(new Error('x')) : null) },
      adoptOthers: true,
    })
    await world.runUntil(() => world.hasEnded(run))
    expect(world.called('f')).toEqual(['a#1/1', 'a#1/2', 'a#2/1'])
    expect(inputsOf(world, 'f')).toEqual([{ n: 1 }, { n: 1 }, { n: 2 }])
    const [one, again, two] = keysOf(world, 'f')
    expect([again === one, two === one]).toEqual([true, false])
  })
})

describe('the folded state', () => {
  it('keeps where an output lies, never the output itself [P-04]', () => {
    const run = scenario('steps: [{ id: a, run: f }, { id: b, run: f }]')
      .start()
      .completes('a', { text: 'sentinel-4711' })
    expect(JSON.stringify(run.log)).toContain('sentinel-4711')
    expect(JSON.stringify(packState(run.state))).not.toContain('sentinel-4711')
    const seq = run.log.find(({ draft }) => draft.eventType === 'StepCompleted')?.seq
    expect(locate(run.state, 'a')?.unit.outputSeq).toBe(seq)
  })
})

describe('captures of steps that run side by side', () => {
  const plan = `context: { seen: [] }
steps:
  - { id: a, run: a, dependsOn: [], capture: [{ destination: seen, merge: append }] }
  - { id: b, run: b, dependsOn: [], capture: [{ destination: seen, merge: append }] }
  - { id: c, run: c, dependsOn: [], capture: [{ destination: seen, merge: append }] }
  - { id: end, run: end, dependsOn: [a, b, c], with: { seen: '\${context.seen}' } }`

  it.each([[['a', 'b', 'c']], [['c', 'b', 'a']], [['b', 'c', 'a']]])(
    'apply in the order of their terminal events (%s), and the log replays to the same context [DFL-10, X-74]',
    async (order) => {
      const world = new World()
      const process = world.process('p', { script: { a: 'hold', b: 'hold', c: 'hold' } })
      const run = await process.start(plan)
      for (const name of order) {
        world.calls.find((call) => call.name === name)?.resolve(name)
        await world.time.quiet()
      }
      await world.runUntil(() => world.hasEnded(run))
      expect(inputsOf(world, 'end')).toEqual([{ seen: order }])
      let context: Readonly<Record<string, unknown>> = { seen: [] }
      for (const { payload, data } of world.records(run)) {
        const captures = (payload?.['captures'] ?? []) as { path: string; mode: Capture['merge'] }[]
        captures.forEach(({ path, mode }, index) => {
          const value = ((data?.['captureValues'] ?? []) as unknown[])[index]
          const applied = applyCaptures([{ destination: path, merge: mode }], value, context, undefined)
          if (applied.ok)
            for (const { variable, value: merged } of applied.value.writes) context = { ...context, [variable]: merged }
        })
      }
      expect(context).toEqual({ seen: order })
      const rows = await process.store.readContext(run, Number.MAX_SAFE_INTEGER)
      expect([...rows]).toEqual([['seen', JSON.stringify(order)]])
    },
  )

  it('that end in the same turn are one append and still apply one after the other [DFL-10]', async () => {
    const world = new World()
    const run = await world.process('p', { script: { a: () => 'a', b: () => 'b', c: () => 'c' } }).start(plan)
    await world.runUntil(() => world.hasEnded(run))
    const completed = world
      .log(run, 'StepCompleted')
      .slice(0, 3)
      .map((event) => event.slice('StepCompleted '.length, -2))
    expect(inputsOf(world, 'end')).toEqual([{ seen: completed }])
  })
})
