/**
 * What a decision or a step reads: the values of the log and of the append in the making, all of them, whatever was
 * forgotten, killed or fold anew; and an error, never null, where one must be and is not.
 */
import { receiptKeys } from '../fixtures/receipt-book.ts'
import { describe, expect, it } from 'vitest'
import { eraseRun } from '../../src/app/archive/erase-run.ts'
import { forkRun } from '../../src/app/start/fork-run.ts'
import { LOCAL_PRINCIPAL } from '../../src/app/principal.ts'
import { stepOutput } from '../../src/app/loaded/run-outputs.ts'
import type { RunStore } from '../../src/ports/run-store.ts'
import { listingSteps, outputOf } from '../fixtures/listing-steps.ts'
import { World } from '../fixtures/virtual-world.ts'

describe('what is read is what was recorded', () => {
  it('a date is a text, an absent field is none, and what the function does to its value later changes nothing [P-43]', async () => {
    const shared = { when: new Date(0), gone: undefined, list: [1] }
    const world = new World()
    const run = await world.process('p', {
      script: {
        a: () => {
          setImmediate(() => shared.list.push(2))
          return shared
        },
      },
    }).start(`
output: { keys: '\${keys(steps.a.output)}', when: '\${steps.a.output.when}', list: '\${steps.a.output.list}' }
steps: [{ id: a, run: a }, { id: b, run: b, if: "steps.a.output.when == '1970-01-01T00:00:00.000Z'" }]
`)
    await world.runUntil(() => world.hasEnded(run))
    expect(world.called('b')).toEqual(['b#1/1'])
    expect(outputOf(world, run)).toEqual({ keys: ['list', 'when'], when: '1970-01-01T00:00:00.000Z', list: [1] })
  })

  it('a function that changes its input changes it for nobody else, not for its next attempt either [P-17, X-66]', async () => {
    const world = new World()
    const seen: string[] = []
    const run = await world
      .process('p', {
        script: {
          a: () => ({ list: [3, 1, 2] }),
          b: ({ input, context }) => {
            const { list, whole, item } = input as { list: number[]; whole: { x: number[] }; item: { k: number } }
            seen.push(JSON.stringify(input))
            list.sort()
            whole.x.push(9)
            item.k += 1
            if (context.attempt === 1) throw new Error('again')
            return context.idempotencyKey
          },
        },
      })
      .start(
        `
policy: { retry: { maxAttempts: 2, initialBackoffMs: 1, backoffMultiplier: 1, maxBackoffMs: 1 } }
steps:
  - { id: a, run: a }
  - { id: b, run: b, forEach: 'input.items', with: { list: '\${steps.a.output.list}', whole: '\${input.whole}', item: '\${item}' } }
  - { id: c, run: c, with: { list: '\${steps.a.output.list}', whole: '\${input.whole}' } }
`,
        { input: { whole: { x: [1] }, items: [{ k: 1 }, { k: 1 }] } },
      )
    await world.runUntil(() => world.hasEnded(run))
    expect(new Set(seen)).toEqual(new Set(['{"item":{"k":1},"list":[3,1,2],"whole":{"x":[1]}}']))
    expect(seen).toHaveLength(4)
    expect(world.calls.at(-1)?.input).toEqual({ list: [3, 1, 2], whole: { x: [1] } })
  })

  it('a change of parameters in the same append as the step it concerns is seen by its condition [SIG-13, P-07]', async () => {
    const world = new World()
    const process = world.process('p', { script: { a: 'hold' } })
    const run = await process.start(
      'steps: [{ id: a, run: a }, { id: b, run: b, if: "input.n == `2`", with: { n: "${input.n}" } }]',
      { input: { n: 1 } },
    )
    await world.runUntil(() => world.calls.length === 1)
    await process.signal(run, 'PAUSE')
    world.calls[0]?.resolve(1)
    await world.time.quiet()
    // Both wait in the inbox and are taken in by one append.
    const { store } = process
    const { tenantId, runId } = world.row(run)
    for (const [signalId, signalType, payload] of [
      ['c1', 'UPDATE_PARAMS', { params: { n: 2 }, reason: 'a mistake' }],
      ['c2', 'RESUME', {}],
    ] as const) {
      const authorization = { allowed: true, policyDecisionId: signalId, actorId: 'olga', actorRole: 'Admin' }
      const body = JSON.stringify({ signalId, signalType, payload, authorization })
      await store.insertInbox({ tenantId, runId }, { inboxId: `signal:${signalId}`, kind: 'signal', body })
    }
    process.engine.wake(run)
    await world.runUntil(() => world.hasEnded(run))
    expect(world.calls.at(-1)?.input).toEqual({ n: 2 })
  })

  it('a step that gave nothing gave null, and so did a wait and one that was skipped [P-43]', async () => {
    const world = new World()
    const run = await world.process('p', { script: { a: () => undefined } }).start(`
output: { a: '\${steps.a.output}', w: '\${steps.w.output}', s: '\${steps.s.output}' }
steps: [{ id: a, run: a }, { id: w, wait: { forMs: 5 } }, { id: s, run: x, if: 'input.no' }, { id: b, run: b, if: '!(steps.w.output)' }]
`)
    await world.runUntil(() => world.hasEnded(run))
    expect(outputOf(world, run)).toEqual({ a: null, w: null, s: null })
    expect(world.called('b')).toEqual(['b#1/1'])
  })
})

/** The store as it is after somebody took an event out of it, or a blob. */
function without(
  store: RunStore,
  lost: { readonly seq?: () => number | undefined; readonly blob?: () => boolean },
): RunStore {
  return {
    ...store,
    readEvents: async (runKey, wanted) =>
      (await store.readEvents(runKey, wanted)).filter(({ runSeq }) => runSeq !== lost.seq?.()),
    getBlob: (runKey, sha256) => (lost.blob?.() === true ? Promise.resolve(undefined) : store.getBlob(runKey, sha256)),
  }
}

describe('a value that must be there and is not', () => {
  it('sets the run aside before anything is written on it: an event that holds one of 300 results [P-09]', async () => {
    const world = new World()
    const lost = { seq: -1 }
    const process = world.process('p', {
      script: { ...listingSteps(300), hold: 'hold' },
      wrapStore: (store) => without(store, { seq: () => lost.seq }),
    })
    const run = await process.start(`
policy: { concurrency: 1000 }
steps:
  - { id: list, run: list }
  - { id: fan, run: item, forEach: steps.list.output, dependsOn: [list], with: { n: '\${item}' } }
  - { id: hold, run: hold, dependsOn: [fan] }
  - { id: next, run: same, dependsOn: [hold], if: 'length(steps.fan.output[].n) == \`300\`' }
`)
    await world.runUntil(() => world.called('hold').length === 1)
    const taken = world.records(run).find((one) => one.eventType === 'StepCompleted' && one.itemIndex === 0)
    lost.seq = taken?.runSeq ?? -1
    const written = world.records(run).length
    world.calls.at(-1)?.resolve(1)
    await world.runUntil(() => world.row(run).quarantine !== undefined)
    expect(world.records(run)).toHaveLength(written)
    expect(process.lost[0]?.problem).toMatchObject({ code: 'RUN_QUARANTINED' })
    expect(String(process.lost[0]?.problem)).toContain(`event ${lost.seq} is missing`)
  })

  it('sets the run aside for the input of a step, which is not called and does not fail [P-44]', async () => {
    const world = new World()
    let gone = false
    const process = world.process('p', {
      script: { a: () => 'x'.repeat(70_000) },
      wrapStore: (store) => without(store, { blob: () => gone }),
    })
    const run = await process.start(
      "steps: [{ id: a, run: a }, { id: w, wait: { forMs: 50 } }, { id: c, run: c, with: { text: '${steps.a.output}' } }]",
    )
    await world.runUntil(() => world.log(run).includes('StepStarted w#1'))
    gone = true
    process.advancer.forget(run)
    await world.runUntil(() => world.row(run).quarantine !== undefined)
    expect(world.called('c')).toEqual([])
    expect(world.log(run).at(-1)).toBe('StepStarted c#1')
    expect(process.lost).toHaveLength(1)
  })
})

describe('an erased value', () => {
  it('is said to be erased by whoever would need it, and is nothing else in its place [P-34]', async () => {
    const world = new World()
    const process = world.process('p', { script: { a: () => ({ n: 1 }) } })
    const run = await process.start('steps: [{ id: a, run: a }, { id: b, run: b }]')
    await world.runUntil(() => world.hasEnded(run))
    await eraseRun(process.services, process.advancer, { runKey: run, reason: 'asked for', keys: await receiptKeys() })
    const fork = forkRun(process.services, process.advancer, {
      row: world.row(run),
      principal: LOCAL_PRINCIPAL,
      engine: { engineType: 'embedded', maxInFlight: 10 },
    })
    await expect(fork).rejects.toMatchObject({ code: 'RUN_ERASED' })
    expect(world.disk.runs).toHaveLength(1)
    const held = await process.advancer.current(run)
    const output = stepOutput(process.store, held, held.state, 'a')
    await expect(output).rejects.toMatchObject({ code: 'VALUE_ERASED' })
  })
})
