/** Many results of one log: read by page, each in its place, and never null when one is missing. */
import { expect, it } from 'vitest'
import type { StoredEvent } from '../../ports/run-store.ts'
import { World } from '../../../test/fixtures/virtual-world.ts'
import { readResults, type LogSource } from './read-results.ts'

const WIDTH = 30

async function finished(): Promise<{ readonly events: readonly StoredEvent[]; readonly seqs: readonly number[] }> {
  const world = new World()
  const run = await world
    .process('p', { script: { f: ({ context }) => context.itemIndex ?? null } })
    .start(`steps: [{ id: fan, run: f, forEach: input.list }]`, {
      input: { list: Array.from({ length: WIDTH }, () => 0) },
    })
  await world.runUntil(() => world.hasEnded(run))
  const events = world.disk.runs[run - 1]?.events ?? []
  const seqs = world
    .records(run)
    .filter(({ eventType, itemIndex }) => eventType === 'StepCompleted' && itemIndex !== undefined)
    .sort((a, b) => (a.itemIndex ?? 0) - (b.itemIndex ?? 0))
    .map(({ runSeq }) => runSeq)
  return { events, seqs }
}

/** Events far apart: the distance of each from the first, times `factor`. */
function logOf(events: readonly StoredEvent[], factor = 1): { readonly log: LogSource; readonly limits: number[] } {
  const limits: number[] = []
  const spread = events.map((event) => {
    const runSeq = event.runSeq * factor
    const record = JSON.stringify({ ...(JSON.parse(event.record) as object), runSeq })
    return { ...event, runSeq, record }
  })
  const store: LogSource['store'] = {
    readEvents: (_run, { afterSeq = 0, limit = 1000 }) => {
      limits.push(limit)
      return Promise.resolve(
        spread.filter(({ runSeq }) => runSeq > afterSeq && runSeq <= afterSeq + limit).slice(0, limit),
      )
    },
    readContext: () => Promise.resolve(new Map()),
    getBlob: () => Promise.resolve(undefined),
  }
  return { log: { store, runKey: 1, erased: false }, limits }
}

it('results that lie together cost one read, of no more events than there are between them [P-43]', async () => {
  const { events, seqs } = await finished()
  const { log, limits } = logOf(events)
  const results = await readResults(log, seqs)
  expect(seqs.map((seq) => results.get(seq))).toEqual(seqs.map((_, index) => index))
  expect(limits).toEqual([Math.max(...seqs) - Math.min(...seqs) + 1])
})

it('results that lie apart cost no more reads than there are results, nor than there are pages [P-43]', async () => {
  const { events, seqs } = await finished()
  const far = logOf(events, 5000)
  await readResults(
    far.log,
    seqs.map((seq) => seq * 5000),
  )
  expect(far.limits).toEqual(seqs.map(() => 1))
  const near = logOf(events, 100)
  await readResults(
    near.log,
    seqs.map((seq) => seq * 100),
  )
  expect(near.limits.length).toBeLessThanOrEqual(Math.ceil(((Math.max(...seqs) - Math.min(...seqs)) * 100) / 1000) + 1)
  expect(Math.max(...near.limits)).toBeLessThanOrEqual(1000)
})

it('a result that is not there is damage wherever it lay in its page [P-09]', async () => {
  const { events, seqs } = await finished()
  for (const lost of [seqs[0], seqs[10], seqs.at(-1)]) {
    const { log } = logOf(events.filter(({ runSeq }) => runSeq !== lost))
    await expect(readResults(log, seqs)).rejects.toMatchObject({ code: 'RUN_QUARANTINED' })
  }
  const { log } = logOf(events)
  await expect(readResults(log, [1])).rejects.toMatchObject({ code: 'RUN_QUARANTINED' })
})
