/** Fan-outs of many sizes, killed, tried again and folded anew: every result is there for whoever reads the list. */
import { describe, expect, it } from 'vitest'
import { countingStore, type CountingStore } from '../fixtures/counting-store.ts'
import { listingSteps, outputOf, range } from '../fixtures/listing-steps.ts'
import { World, type Script } from '../fixtures/virtual-world.ts'

const FANS = (count: number): string => `
policy: { concurrency: 1000, retry: { maxAttempts: 3, initialBackoffMs: 10, backoffMultiplier: 1, maxBackoffMs: 10 } }
output: { first: '\${steps.first.output[].n}', second: '\${steps.second.output[].n}', seen: '\${steps.seen.output}' }
steps:
  - { id: list, run: list }
  - { id: first, run: item, forEach: steps.list.output, dependsOn: [list], with: { n: '\${item}' } }
  - { id: second, run: item, forEach: steps.first.output, dependsOn: [first], with: { n: '\${item.n}' } }
  - { id: seen, run: same, if: 'length(steps.first.output[].n) == \`${count}\`', dependsOn: [first], with: { count: '\${length(steps.first.output[].n)}' } }
`

const expected = (count: number): unknown => ({ first: range(count), second: range(count), seen: { count } })

describe('the results of a fan-out are all there', () => {
  it.each([0, 1, 255, 256, 257, 499, 500, 501, 1001])(
    'for the output, the next forEach and a condition, with %i items [P-43, P-05]',
    async (count) => {
      const world = new World()
      const run = await world.process('p', { script: listingSteps(count) }).start(FANS(count))
      await world.runUntil(() => world.hasEnded(run))
      expect(outputOf(world, run)).toEqual(expected(count))
    },
  )

  it('when every item ends at the same instant, some fail once and another process takes over half way [P-10, P-27]', async () => {
    const count = 400
    const world = new World()
    let ended = 0
    const script: Script = {
      ...listingSteps(count),
      item: async ({ input, context }, { after }) => {
        await after(5)
        const { n } = input as { n: number }
        if (n % 7 === 3 && context.attempt === 1) throw new Error('once')
        ended += 1
        return { n }
      },
    }
    const first = world.process('p', { script })
    const run = await first.start(FANS(count))
    await world.runUntil(() => ended >= 300)
    first.kill()
    world.process('q', { script, adoptOthers: true })
    await world.runUntil(() => world.hasEnded(run))
    expect(outputOf(world, run)).toEqual(expected(count))
  })

  it('when the fold is dropped before every turn [P-10]', async () => {
    const count = 300
    const world = new World()
    const process = world.process('p', {
      script: {
        ...listingSteps(count),
        item: ({ input }) => {
          process.advancer.forget(1)
          return { n: (input as { n: number }).n }
        },
      },
    })
    const run = await process.start(FANS(count))
    await world.runUntil(() => world.hasEnded(run))
    expect(outputOf(world, run)).toEqual(expected(count))
  })

  it('where an item was saved by its fallback and where results lie outside their events [X-101, P-43]', async () => {
    const world = new World()
    const large = 'x'.repeat(70_000)
    const run = await world.process('p', {
      script: {
        list: () => range(300),
        item: ({ input }) => {
          const { n } = input as { n: number }
          if (n === 7) throw Object.assign(new Error('no'), { name: 'NotFoundError' })
          return n % 100 === 5 ? { n, large } : { n }
        },
        other: () => ({ n: -7 }),
      },
    }).start(`
policy: { concurrency: 1000 }
output: { all: '\${steps.fan.output[].n}', large: '\${length(steps.fan.output[?large])}' }
steps:
  - { id: list, run: list }
  - { id: fan, run: item, forEach: steps.list.output, dependsOn: [list], with: { n: '\${item}' }, fallback: { run: other, with: {} }, fallbackOn: [permanent, exhausted] }
`)
    await world.runUntil(() => world.hasEnded(run))
    expect(outputOf(world, run)).toEqual({ all: range(300).map((n) => (n === 7 ? -7 : n)), large: 3 })
  })
})

describe('a long list', () => {
  const COUNT = 20_000

  it('of 20,000 results is read in pages, once, however many read it [P-43]', { timeout: 300_000 }, async () => {
    const world = new World()
    const counting: { store?: CountingStore } = {}
    const process = world.process('p', {
      script: { ...listingSteps(COUNT), few: () => range(50) },
      wrapStore: (store) => {
        counting.store = countingStore(store)
        return counting.store.store
      },
    })
    const run = await process.start(`
policy: { concurrency: 5000 }
steps:
  - { id: list, run: list }
  - { id: fan, run: item, forEach: steps.list.output, dependsOn: [list], with: { n: '\${item}' } }
  - { id: few, run: few, dependsOn: [fan] }
  - { id: readers, run: same, forEach: steps.few.output, dependsOn: [few], with: { length: '\${length(steps.fan.output[].n)}' } }
`)
    await world.runUntil(() => world.hasEnded(run))
    expect(world.calls.slice(-50).map((call) => call.input)).toEqual(range(50).map(() => ({ length: COUNT })))
    const seqs = world
      .records(run)
      .flatMap(({ eventType, itemIndex, stepId, runSeq }) =>
        eventType === 'StepCompleted' && itemIndex !== undefined && stepId?.startsWith('fan') ? [runSeq] : [],
      )
    const first = seqs[0] ?? 0
    const pages = Math.ceil(((seqs.at(-1) ?? 0) - first + 1) / 1000)
    expect(pages).toBeGreaterThan(19)
    // The run's input is the one other thing that is read.
    expect(counting.store?.count('readEvents')).toBeLessThanOrEqual(pages + 1)
  })
})
