/**
 * What must not grow with the number of stored runs: starting one, listing them, counting them. Each is measured on a store
 * with very many runs and on one with few, in turn, through the calls the product makes.
 */
import { functionHandlers } from '../../src/adapters/handlers/functions.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { systemRandom } from '../../src/adapters/system/random.ts'
import { systemTimers } from '../../src/adapters/system/timers.ts'
import { RunAdvancer } from '../../src/app/advance/advance-run.ts'
import { LOCAL_PRINCIPAL } from '../../src/app/principal.ts'
import { startRun } from '../../src/app/start/start-run.ts'
import { loadPlan } from '../../src/main.ts'
import type { ListFilter, RunStore } from '../../src/ports/run-store.ts'
import { inTurn } from './in-turn.ts'
import { atMostRow, type BenchRow } from './row.ts'
import { STORED } from './stored-runs.ts'

export const SCALE = { few: 1_000, many: 1_000_000 } as const

const START_ROUNDS = 400
const READ_ROUNDS = 200
const START_LIMIT = 1.2
/** A page of many runs costs two or three more steps down a tree; a multiple of that would be a walk. */
const READ_LIMIT = 2
const PAGE = 50

export interface Stores {
  readonly few: RunStore
  readonly many: RunStore
}

export async function scaleRows(name: string, stores: Stores): Promise<readonly BenchRow[]> {
  const rows = [await startRow(name, stores), await emptyListRow(name, stores)]
  for (const [what, filter] of Object.entries(FILTERS))
    rows.push(...(await listRows(`${name}: ${what}`, stores, filter)))
  const counted = await inTurn(
    READ_ROUNDS,
    () => stores.many.countRuns(STORED.tenant),
    () => stores.few.countRuns(STORED.tenant),
  )
  rows.push(atMostRow(`${name}: counts per status, p50`, 'ms', counted.a, counted.b, READ_LIMIT))
  return rows
}

const WAITS = loadPlan(`
plan: scale-of-what-lies-still
version: 1.0.0
steps: [{ id: pause, wait: { forMs: 86400000 } }]`)

async function startRow(name: string, { few, many }: Stores): Promise<BenchRow> {
  const starting = (store: RunStore): (() => Promise<void>) => {
    const handlers = functionHandlers({})
    const services = { store, clock: systemClock, random: systemRandom, timers: systemTimers, handlers }
    const advancer = new RunAdvancer(services)
    const engine = { engineType: 'embedded', maxInFlight: 100 } as const
    return async () => {
      const answer = await startRun(services, advancer, { plan: WAITS, principal: LOCAL_PRINCIPAL, engine })
      advancer.release(answer.row.runKey)
    }
  }
  const { a, b } = await inTurn(START_ROUNDS, starting(many), starting(few))
  return atMostRow(`${name}: start → commit, p50`, 'ms', a, b, START_LIMIT)
}

const FILTERS: Readonly<Record<string, (middle: number) => ListFilter>> = {
  'all runs of a tenant': () => ({}),
  'by status': () => ({ status: ['COMPLETED'] }),
  'by two statuses': () => ({ status: ['FAILED', 'RUNNING'] }),
  'by plan': () => ({ planId: 'plan-1' }),
  'by plan and status': () => ({ planId: 'plan-1', status: ['COMPLETED'] }),
  'by time': (middle) => ({ createdTo: middle }),
}

async function listRows(
  name: string,
  { few, many }: Stores,
  filterOf: (middle: number) => ListFilter,
): Promise<readonly BenchRow[]> {
  const now = Date.now()
  const listing = async (store: RunStore, runs: number): Promise<Record<'first' | 'deep', () => Promise<unknown>>> => {
    const middle = now - (runs / 2) * STORED.everyMs
    const filter = filterOf(middle)
    // A cursor from the middle of the list: as far down as one gets by turning half of all pages.
    const before = await store.listRuns(STORED.tenant, { ...filter, createdTo: middle }, { limit: 1 })
    const cursor = before.next ?? ''
    return {
      first: () => fullPage(store, filter),
      deep: () => fullPage(store, filter, cursor),
    }
  }
  const [inMany, inFew] = [await listing(many, SCALE.many), await listing(few, SCALE.few)]
  const rows: BenchRow[] = []
  for (const which of ['first', 'deep'] as const) {
    const { a, b } = await inTurn(READ_ROUNDS, inMany[which], inFew[which])
    rows.push(atMostRow(`${name}, ${which} page, p50`, 'ms', a, b, READ_LIMIT))
  }
  return rows
}

/** Nothing fits, so nothing ends the search early: without an index of both, all runs of the plan would be walked. */
async function emptyListRow(name: string, { few, many }: Stores): Promise<BenchRow> {
  const listing = (store: RunStore) => async (): Promise<void> => {
    const page = await store.listRuns(STORED.tenant, { planId: 'plan-0', status: ['FAILED'] }, { limit: PAGE })
    if (page.runs.length > 0) throw new Error('a list that should be empty is not')
  }
  const { a, b } = await inTurn(READ_ROUNDS, listing(many), listing(few))
  return atMostRow(`${name}: by plan and a status it never had, p50`, 'ms', a, b, READ_LIMIT)
}

async function fullPage(store: RunStore, filter: ListFilter, cursor?: string): Promise<void> {
  const page = await store.listRuns(STORED.tenant, filter, { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) })
  if (page.runs.length !== PAGE) throw new Error(`a page of ${PAGE} runs has ${page.runs.length}`)
}
