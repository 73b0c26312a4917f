/**
 * What a step costs must not grow with the size of its run: a chain and a fan-out take at most twelve times as long as a tenth of them. By
 * default 10,000 beside 1,000; with KEELSON_BENCH=long 100,000 beside 10,000, which takes minutes.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import { loadPlan, openKeelson, type Keelson, type OpenOptions } from '../../src/main.ts'
import { startPostgres } from '../setup/postgres.ts'
import { atMostRow, type BenchRow } from './row.ts'

const MANY = process.env['KEELSON_BENCH'] === 'long' ? 100_000 : 10_000
const FEW = MANY / 10
const GROWTH_LIMIT = 12

const chainOf = (steps: number): string =>
  JSON.stringify({
    plan: `chain-of-${steps}`,
    version: '1.0.0',
    steps: Array.from({ length: steps }, (_, at) => ({ id: `step-${at}`, run: 'work' })),
  })
const fanOf = (items: number): string =>
  JSON.stringify({
    plan: `fan-of-${items}`,
    version: '1.0.0',
    policy: { concurrency: 1_000 },
    steps: [{ id: 'all', run: 'work', forEach: 'input.list', with: { n: '${item}' } }],
  })

export async function benchGrowth(): Promise<readonly BenchRow[]> {
  const directory = mkdtempSync(join(tmpdir(), 'keelson-growth-'))
  try {
    return await growths('SQLite', { directory, receipts: false })
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

export async function benchGrowthPostgres(): Promise<readonly BenchRow[]> {
  const server = await startPostgres()
  try {
    const connectionString = await server.createDatabase('growth')
    return await growths('PostgreSQL', { store: await openPostgresStore({ connectionString }) })
  } finally {
    await server.stop()
  }
}

async function growths(name: string, options: OpenOptions): Promise<readonly BenchRow[]> {
  const keelson = await openKeelson({ ...options, steps: { work: async () => null }, maxSteps: 1_000 })
  try {
    const size = MANY.toLocaleString('en')
    return [
      await growth(keelson, `${name}, chain of ${size} steps ÷ a tenth of it`, chainOf),
      await growth(keelson, `${name}, fan-out of ${size} items ÷ a tenth of it`, fanOf),
    ]
  } finally {
    await keelson.close()
  }
}

async function growth(keelson: Keelson, name: string, planOf: (size: number) => string): Promise<BenchRow> {
  await timed(keelson, planOf(FEW), FEW)
  const few = await timed(keelson, planOf(FEW), FEW)
  return atMostRow(name, 'ms', await timed(keelson, planOf(MANY), MANY), few, GROWTH_LIMIT)
}

async function timed(keelson: Keelson, text: string, size: number): Promise<number> {
  const plan = loadPlan(text)
  const input = { list: Array.from({ length: size }, (_, at) => at) }
  const began = performance.now()
  const { status } = await (await keelson.start(plan, input as never)).result()
  if (status !== 'COMPLETED') throw new Error(`a run of ${size} ended ${status}`)
  return Math.round(performance.now() - began)
}
