/** Which runs an operation is for, where there are more than it takes. */
import { expect, it } from 'vitest'
import type { RunRow } from '../../ports/run-store.ts'
import { chosenRuns, previewSha256 } from './choose-runs.ts'

/** A tenant with so many runs, page by page. */
function withRuns(count: number): Parameters<typeof chosenRuns>[0] {
  return {
    listRuns: async (_tenantId, _filter, { limit, cursor = '0' }) => {
      const from = Number(cursor)
      const to = Math.min(count, from + limit)
      const runs = Array.from({ length: to - from }, (_, at) => ({ runId: `run-${from + at}` }) as RunRow)
      return { runs, ...(to < count ? { next: String(to) } : {}) }
    },
  }
}

it('takes 50,000 runs and refuses one more', async () => {
  const { runIds, first } = await chosenRuns(withRuns(50_000), 'acme', {}, 3)
  expect(runIds).toHaveLength(50_000)
  expect(new Set(runIds).size).toBe(50_000)
  expect(first.map(({ runId }) => runId)).toEqual(['run-0', 'run-1', 'run-2'])
  await expect(chosenRuns(withRuns(50_001), 'acme', {})).rejects.toMatchObject({ code: 'OPERATION_TOO_LARGE' })
})

it('has another hash for another signal, other runs, or another order of them', () => {
  const pause = { signalType: 'PAUSE', payload: {} }
  const [one, two] = ['one', 'two']
  const hashes = [
    previewSha256(pause, [one, two]),
    previewSha256(pause, [two, one]),
    previewSha256(pause, [one]),
    previewSha256({ ...pause, payload: { reason: 'why' } }, [one, two]),
    previewSha256({ ...pause, signalType: 'RESUME' }, [one, two]),
  ]
  expect(new Set(hashes).size).toBe(5)
  expect(previewSha256(pause, ['one', 'two'])).toBe(hashes[0])
})
