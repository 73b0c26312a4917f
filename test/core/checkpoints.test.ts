/** Checkpoints save folding and nothing else: whether and when one is stored is never a matter of the run. */
import { expect, it } from 'vitest'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { LIMITS } from '../../src/core/limits.ts'
import { loadPlan, openKeelson } from '../../src/main.ts'
import type { RunStore, StoredCheckpoint } from '../../src/ports/run-store.ts'
import { testFolder } from '../fixtures/folder.ts'

const chain = (steps: number) =>
  loadPlan(
    JSON.stringify({
      plan: 'long',
      version: '1.0.0',
      steps: Array.from({ length: steps }, (_, index) => ({ id: `s${index}`, run: 'f' })),
    }),
  )

/** Runs a chain to its end on a store whose checkpoints are stored by `put`. */
async function played(steps: number, put: (kept: StoredCheckpoint, inner: () => Promise<void>) => Promise<void>) {
  const inner = openMemoryStore({ clock: systemClock })
  const store: RunStore = {
    ...inner,
    putCheckpoint: (runKey, kept) => put(kept, () => inner.putCheckpoint(runKey, kept)),
  }
  const keelson = await openKeelson({ store, directory: testFolder(), steps: { f: () => 1 } })
  const run = await keelson.start(chain(steps))
  const { status } = await run.result()
  const { nextSeq } = (await inner.getRun(run.row.runKey)) ?? { nextSeq: 0 }
  await keelson.close()
  return { status, events: nextSeq - 1 }
}

/** A chain whose last commit brings the log over the number of events at which a checkpoint is due. */
const UP_TO_THE_END = LIMITS.checkpointEveryEvents / 2 - 1

it('a checkpoint that is never answered holds no step back [P-51]', async () => {
  let asked = 0
  const { status } = await played(600, () => {
    asked += 1
    return new Promise(() => undefined)
  })
  expect({ status, asked }).toEqual({ status: 'COMPLETED', asked: 1 })
})

it('a checkpoint that cannot be stored is no trouble of the run [P-51]', async () => {
  let asked = 0
  const { status } = await played(600, () => {
    asked += 1
    return Promise.reject(new Error('no room'))
  })
  expect({ status, asked }).toEqual({ status: 'COMPLETED', asked: 1 })
})

it('no checkpoint is kept of a run that has ended [P-51]', async () => {
  const kept: number[] = []
  const put = (checkpoint: StoredCheckpoint, inner: () => Promise<void>): Promise<void> => {
    kept.push(checkpoint.seq)
    return inner()
  }
  const ended = await played(UP_TO_THE_END, put)
  expect(ended).toEqual({ status: 'COMPLETED', events: LIMITS.checkpointEveryEvents + 1 })
  expect(kept).toEqual([])
  await played(UP_TO_THE_END + 1, put)
  expect(kept).toEqual([LIMITS.checkpointEveryEvents + 1])
})
