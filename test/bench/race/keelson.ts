/**
 * Keelson as a program embeds it: the built package, `openKeelson` on its SQLite file (FULL) or on PostgreSQL. Nothing is
 * tuned but the places for steps. Built, because its peers are: stripping types at load takes 30 MB of its own.
 */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { openPostgresStore as OpenPostgresStore } from '../../../src/adapters/stores/postgres/store.ts'
import type * as Package from '../../../src/main.ts'
import { AT_ONCE, CHAIN_STEPS, FAN_STEPS, TEN, type Contender, type Work } from './contender.ts'

const DIST = join(import.meta.dirname, '..', '..', '..', 'dist')

async function built<T>(...path: readonly string[]): Promise<T> {
  return (await import(pathToFileURL(join(DIST, ...path)).href)) as T
}

function planText(name: string, steps: number, chained: boolean): string {
  return JSON.stringify({
    plan: name,
    version: '1.0.0',
    policy: { concurrency: FAN_STEPS },
    steps: Array.from({ length: steps }, (_, index) => ({
      id: `step-${index}`,
      run: 'work',
      dependsOn: chained && index > 0 ? [`step-${index - 1}`] : [],
    })),
  })
}

async function open(options: Package.OpenOptions, work: Work): Promise<Contender> {
  const { loadPlan, openKeelson } = await built<typeof Package>('main.js')
  const keelson = await openKeelson({ ...options, steps: { work }, maxSteps: FAN_STEPS + AT_ONCE })
  const shape = (name: string, steps: number, chained: boolean): (() => Promise<void>) => {
    const plan = loadPlan(planText(name, steps, chained))
    return async () => {
      const { status } = await (await keelson.start(plan)).result()
      if (status !== 'COMPLETED') throw new Error(`a run of the race ended ${status}`)
    }
  }
  return {
    oneStep: shape('one-step', 1, true),
    tenSteps: shape('ten-steps', TEN, true),
    chain: shape('chain', CHAIN_STEPS, true),
    fan: shape('fan-out', FAN_STEPS, false),
    close: () => keelson.close(),
  }
}

async function onPostgres(place: string): Promise<Package.OpenOptions> {
  type Store = { readonly openPostgresStore: typeof OpenPostgresStore }
  const { openPostgresStore } = await built<Store>('adapters', 'stores', 'postgres', 'store.js')
  return { store: await openPostgresStore({ connectionString: place }) }
}

export function keelsonOnSqlite(place: string, work: Work): Promise<Contender> {
  return open({ directory: place }, work)
}

export async function keelsonOnPostgres(place: string, work: Work): Promise<Contender> {
  return open(await onPostgres(place), work)
}

export function smallOnSqlite(place: string, work: Work): Promise<Contender> {
  return open({ directory: place, smallHeap: true }, work)
}

export async function smallOnPostgres(place: string, work: Work): Promise<Contender> {
  return open({ ...(await onPostgres(place)), smallHeap: true }, work)
}
