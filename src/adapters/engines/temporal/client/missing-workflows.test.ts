/** The round over the live runs: how many it asks about at once, which it leaves alone, and where it goes on. */
import { expect, it } from 'vitest'
import type { ListFilter, RunRow, RunStore } from '../../../../ports/run-store.ts'
import { WorkflowRound } from './missing-workflows.ts'

const ROUND_MS = 10_000
const LONG_AGO = -60_000

function rowOf(n: number, more: Partial<RunRow> = {}): RunRow {
  const row: Partial<RunRow> = {
    runKey: n,
    tenantId: 'local',
    runId: `r${n}`,
    status: 'RUNNING',
    engineType: 'temporal',
    updatedAt: LONG_AGO,
  }
  return { ...row, ...more } as RunRow
}

function stage(rows: readonly RunRow[], gone: readonly string[] = []) {
  const asked: string[] = []
  const filters: ListFilter[] = []
  const time = { now: 0 }
  const listRuns: RunStore['listRuns'] = (_tenant, filter, { limit, cursor = '0' }) => {
    filters.push(filter)
    const end = Number(cursor) + limit
    const runs = rows.slice(Number(cursor), end)
    return Promise.resolve({ runs, ...(end < rows.length ? { next: String(end) } : {}) })
  }
  const round = new WorkflowRound({
    store: { listRuns } as RunStore,
    clock: { now: () => time.now },
    scope: { tenantId: 't', environmentId: 'e' },
    workflows: {
      isOurs: ({ engineType }) => engineType === 'temporal',
      isOpen: (runId) => {
        asked.push(runId)
        return runId === 'unknown' ? Promise.reject(new Error('no answer')) : Promise.resolve(!gone.includes(runId))
      },
    },
  })
  return { round, asked, filters, time }
}

it('asks about twenty runs at once, goes on where it stopped, and names those without a workflow [P-38]', async () => {
  const rows = Array.from({ length: 450 }, (_, n) => rowOf(n))
  const { round, asked, time } = stage(rows, ['r7', 'r449'])
  const missing: string[] = []
  for (let poll = 1; poll <= 23; poll += 1) {
    missing.push(...(await round.missing()).map(({ runId }) => runId))
    expect(asked.length).toBeLessThanOrEqual(poll * 20)
  }
  expect(asked).toEqual(rows.map(({ runId }) => runId))
  expect(missing).toEqual(['r7', 'r449'])
  time.now = ROUND_MS
  await round.missing()
  expect(asked.slice(450)).toEqual(rows.slice(0, 20).map(({ runId }) => runId))
})

it('rests until the time of the next round', async () => {
  const { round, asked, filters, time } = stage([rowOf(1)])
  for (time.now = 0; time.now < ROUND_MS; time.now += 1_000) await round.missing()
  expect(asked).toEqual(['r1'])
  expect(filters).toEqual([{ status: ['RUNNING', 'PAUSED'] }])
  await round.missing()
  expect(asked).toEqual(['r1', 'r1'])
})

it('asks nothing about runs that moved just now, are set aside or are others’', async () => {
  const { round, asked } = stage([
    rowOf(1, { updatedAt: -4_999 }),
    rowOf(2, { quarantine: 'LOG_REGRESSED' }),
    rowOf(3, { engineType: 'embedded' }),
    rowOf(4, { updatedAt: -5_000 }),
  ])
  await round.missing()
  expect(asked).toEqual(['r4'])
})

it('passes over what it cannot ask about now, and comes back to it', async () => {
  const others = Array.from({ length: 19 }, (_, n) => rowOf(n + 100))
  const { round, asked, time } = stage([rowOf(1, { runId: 'unknown' }), ...others, rowOf(2)], ['r2'])
  await expect(round.missing()).rejects.toThrow('no answer')
  expect((await round.missing()).map(({ runId }) => runId)).toEqual(['r2'])
  time.now = ROUND_MS
  await expect(round.missing()).rejects.toThrow('no answer')
  expect(asked).toEqual(['unknown', 'r2', 'unknown'])
})
