/**
 * What expressions read of fan-outs, on every store: as many results as there were items, each in its place, whatever the
 * sizes of caches, pages and appends.
 */
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openPostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import { loadPlan, openKeelson, type OpenOptions } from '../../src/main.ts'
import { startPostgres, type PostgresServer } from '../setup/postgres.ts'

let server: PostgresServer
beforeAll(async () => {
  server = await startPostgres()
})
afterAll(() => server.stop())

let databases = 0
const STORES: { readonly [name: string]: () => Promise<OpenOptions> } = {
  memory: () => Promise.resolve({ directory: ':memory:' }),
  sqlite: () => Promise.resolve({ directory: mkdtempSync(join(tmpdir(), 'keelson-fan-')) }),
  postgres: async () => ({
    directory: mkdtempSync(join(tmpdir(), 'keelson-fan-')),
    store: await openPostgresStore({ connectionString: await server.createDatabase(`fan_${(databases += 1)}`) }),
  }),
}

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index)

const STEPS = {
  list: ({ count }: { readonly count: number }) => range(count),
  number: ({ n }: { readonly n: number }) => ({ n }),
  // Slow enough that many end at the same moment: they are taken in by one append.
  together: async ({ n }: { readonly n: number }) => {
    await new Promise((resolve) => setImmediate(resolve))
    return { n }
  },
  seen: (input: unknown) => input,
}

const plan = (count: number, run: string): string => `
plan: fans
version: 1.0.0
policy: { concurrency: 600 }
output:
  first: '\${steps.first.output[].n}'
  count: '\${length(steps.first.output[].n)}'
  second: '\${steps.second.output[].n}'
  whole: '\${steps.whole.output}'
  nulls: '\${length(steps.first.output[?n == null])}'
steps:
  - { id: list, run: list, with: { count: ${count} } }
  - { id: first, run: ${run}, forEach: steps.list.output, dependsOn: [list], with: { n: '\${item}' } }
  - { id: second, run: ${run}, forEach: steps.first.output, dependsOn: [first], with: { n: '\${item.n}' } }
  - { id: whole, run: seen, if: 'length(steps.first.output[].n) == \`${count}\`', dependsOn: [first], with: { count: '\${length(steps.first.output[].n)}', last: '\${steps.first.output[-1].n}' } }
`

describe.each(Object.keys(STORES))('on %s', (name) => {
  it('a fan-out of 300 has 300 results for the output, the next forEach, a condition and an input [P-43, P-05]', async () => {
    for (const run of ['number', 'together']) {
      await using keelson = await openKeelson({ ...(await STORES[name]?.()), steps: STEPS })
      const started = await keelson.start(loadPlan(plan(300, run)))
      const { output, status } = await started.result()
      expect(status).toBe('COMPLETED')
      const all = range(300)
      expect(output).toEqual({ first: all, count: 300, second: all, whole: { count: 300, last: 299 }, nulls: 0 })
    }
  })

  it('two fan-outs of 220 beside each other have all their results [P-43]', async () => {
    await using keelson = await openKeelson({ ...(await STORES[name]?.()), steps: STEPS })
    const started = await keelson.start(
      loadPlan(`
plan: two
version: 1.0.0
policy: { concurrency: 600 }
output: { a: '\${steps.a.output[].n}', b: '\${steps.b.output[].n}', both: '\${steps.sum.output.both}' }
steps:
  - { id: list, run: list, with: { count: 220 } }
  - { id: a, run: together, forEach: steps.list.output, dependsOn: [list], with: { n: '\${item}' } }
  - { id: b, run: together, forEach: steps.list.output, dependsOn: [list], with: { n: '\${item}' } }
  - { id: sum, run: seen, dependsOn: [a, b], if: 'length(steps.a.output[].n) == length(steps.b.output[].n)', with: { both: '\${[length(steps.a.output[].n), length(steps.b.output[].n)]}' } }
`),
    )
    const { output } = await started.result()
    expect(output).toEqual({ a: range(220), b: range(220), both: [220, 220] })
  })
})
