/**
 * Lists read page by page while runs are added: under every combination of filters each run that was there is shown once,
 * newest first, and nothing that came later slips in. The same on every store.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import { openPostgresStore } from '../../src/adapters/stores/postgres/store.ts'
import { openSqliteStore } from '../../src/adapters/stores/sqlite/store.ts'
import type { Clock } from '../../src/ports/clock.ts'
import type { ListFilter, RunStatus, RunStore } from '../../src/ports/run-store.ts'
import { newRun, summary } from '../../src/testing/store/run-fixtures.ts'
import { creation, manualClock, START_MS } from '../../src/testing/store/store-case.ts'
import { startPostgres } from '../setup/postgres.ts'

const RUNS = 120
const PAGE = 7
const STATUSES: readonly RunStatus[] = ['RUNNING', 'COMPLETED', 'FAILED', 'PAUSED']

interface Listed {
  readonly runId: string
  readonly tenantId: string
  readonly status: RunStatus
  readonly planId: string
  readonly createdAt: number
  readonly originalRunId?: string
}

/** Several runs in each millisecond, so that time alone does not tell them apart. */
function runNumber(index: number, createdAt: number): Listed {
  return {
    runId: `run-${String(index).padStart(5, '0')}`,
    tenantId: index % 7 === 6 ? 'tenant-b' : 'tenant-a',
    status: STATUSES[(index * 5 + Math.floor(index / 9)) % STATUSES.length] ?? 'RUNNING',
    planId: `plan-${index % 3}`,
    createdAt,
    ...(index % 4 === 0 ? { originalRunId: 'run-00000' } : {}),
  }
}

const FILTERS: readonly ListFilter[] = combinations(
  [{}, { status: ['COMPLETED'] }, { status: ['PAUSED', 'RUNNING'] }, { status: [] }],
  [{}, { planId: 'plan-1' }],
  [{}, { createdFrom: START_MS + 10 }, { createdFrom: START_MS + 5, createdTo: START_MS + 20 }],
  [{}, { originalRunId: 'run-00000' }],
)

function combinations(...choices: readonly (readonly ListFilter[])[]): readonly ListFilter[] {
  return choices.reduce<readonly ListFilter[]>(
    (all, more) => all.flatMap((one) => more.map((two) => ({ ...one, ...two }))),
    [{}],
  )
}

function fits(run: Listed, filter: ListFilter): boolean {
  return (
    run.tenantId === 'tenant-a' &&
    (filter.status?.includes(run.status) ?? true) &&
    run.planId === (filter.planId ?? run.planId) &&
    run.createdAt >= (filter.createdFrom ?? 0) &&
    run.createdAt <= (filter.createdTo ?? Infinity) &&
    run.originalRunId === (filter.originalRunId ?? run.originalRunId)
  )
}

interface Opened {
  readonly store: RunStore
  readonly close: () => Promise<void>
}

const OPEN: Readonly<Record<string, (clock: Clock) => Promise<Opened>>> = {
  memory: async (clock) => {
    const store = openMemoryStore({ clock })
    return { store, close: () => store.close() }
  },
  sqlite: async (clock) => {
    const folder = mkdtempSync(join(tmpdir(), 'keelson-listing-'))
    const store = await openSqliteStore({ path: join(folder, 'keelson.db'), clock })
    const close = async () => {
      await store.close()
      rmSync(folder, { recursive: true })
    }
    return { store, close }
  },
  postgres: async (clock) => {
    const server = await startPostgres()
    const store = await openPostgresStore({ connectionString: await server.createDatabase('listing'), clock })
    const close = async () => {
      await store.close()
      await server.stop()
    }
    return { store, close }
  },
}

describe.each(Object.keys(OPEN))('lists of %s', (name) => {
  const clock = manualClock()
  const runs: Listed[] = []
  let opened: Opened

  const add = async (count: number): Promise<void> => {
    const added = Array.from({ length: count }, (_, offset) => runNumber(runs.length + offset, clock.now()))
    const commits = added.map(({ status, createdAt, ...run }) =>
      creation(newRun(run), [], { summary: summary({ status }) }),
    )
    for (const { kind } of await opened.store.commit(commits)) expect(kind).toBe('committed')
    runs.push(...added)
  }

  beforeAll(async () => {
    opened = (await OPEN[name]?.(clock)) ?? expect.fail()
    for (; runs.length < RUNS; clock.advance(1)) await add(4)
  })
  afterAll(() => opened.close())

  it.each(FILTERS)('neither lose nor repeat a run while runs are added: %j', async (filter) => {
    const there = runs.filter((run) => fits(run, filter)).map(({ runId }) => runId)
    const shown: string[] = []
    let cursor: string | undefined
    do {
      const page = { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) }
      const answer = await opened.store.listRuns('tenant-a', filter, page)
      shown.push(...answer.runs.map(({ runId }) => runId))
      cursor = answer.next
      // In the same millisecond as the newest, then in one of their own.
      await add(1)
      clock.advance(1)
    } while (cursor !== undefined)
    expect(shown).toEqual(there.reverse())
  })
})
