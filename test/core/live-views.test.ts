/** The picture of a long run that has not ended: made from its stored view and what follows, unless it waits for what only the log tells. */
import { expect, it } from 'vitest'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import { openReader } from '../../src/compose/open-reader.ts'
import { rowsOf } from '../../src/edge/cli/progress/picture.ts'
import { watchFromView, watchRun, type RunWatch } from '../../src/edge/cli/progress/run-watch.ts'
import { loadPlan, openKeelson } from '../../src/main.ts'
import type { RunRow, RunStore } from '../../src/ports/run-store.ts'
import { testFolder } from '../fixtures/folder.ts'
import { untilFound } from '../fixtures/until.ts'

const ITEMS = 1_500

interface Live {
  readonly row: RunRow
  readonly viewSeq: number
}

/** One item fails at once and is tried again in an hour; all others have ended, and a view was kept. */
async function liveRun(store: RunStore, more = ''): Promise<Live> {
  const plan = loadPlan<{ readonly list: readonly number[] }>(
    `plan: long\nversion: 1.0.0\nsteps: [{ id: each, dependsOn: [], forEach: input.list, run: f, retry: { maxAttempts: 2, initialBackoff: 1h, maxBackoff: 1h } }${more}]`,
  )
  let calls = 0
  const f = (): null => {
    calls += 1
    if (calls === 4) throw new Error('not yet')
    return null
  }
  await using keelson = await openKeelson({
    store: keptOpen(store),
    directory: testFolder(),
    steps: { f },
    onAlert: () => undefined,
  })
  const run = await keelson.start(plan, { list: Array.from({ length: ITEMS }, (_, at) => at) })
  const viewSeq = await untilFound(async () => {
    const done = (await run.snapshot()).steps[0]?.items?.done
    return done === ITEMS - 1 ? (await store.getCheckpoint(run.row.runKey, 'view'))?.seq : undefined
  })
  return { row: (await store.getRun(run.row.runKey)) ?? run.row, viewSeq }
}

/** The rows of the picture, the retries it counts down, and how many events were read for it. */
async function pictureOf(store: RunStore, { row }: Live, make: 'view' | 'log'): Promise<readonly unknown[]> {
  let events = 0
  const readEvents: RunStore['readEvents'] = async (runKey, range) => {
    const page = await store.readEvents(runKey, range)
    events += page.length
    return page
  }
  const reader = await openReader({ directory: testFolder(), store: keptOpen(store, { readEvents }) })
  const handle = await reader.run(row.runId)
  events = 0
  const watch: RunWatch = await (make === 'view' ? watchFromView(reader, handle, 'picture') : watchRun(handle))
  await watch.pump()
  return [rowsOf(watch, 0), [...watch.retries], events]
}

function keptOpen(store: RunStore, more: Partial<RunStore> = {}): RunStore {
  const own: Partial<RunStore> = { ...more, close: async () => undefined }
  return new Proxy(store, {
    get: (target, name, receiver) => own[name as keyof RunStore] ?? Reflect.get(target, name, receiver),
  })
}

const openStore = (): RunStore => openMemoryStore({ clock: { now: () => Date.now() } })

it('a live run is drawn from its view and the events after it, with its open retries, the same as from its log [STO-10]', async () => {
  const store = openStore()
  const live = await liveRun(store)
  const head = live.row.nextSeq - 1
  const [rows, retries, read] = await pictureOf(store, live, 'view')
  const [allRows, allRetries, all] = await pictureOf(store, live, 'log')
  expect(rows).toEqual(allRows)
  expect(retries).toEqual(allRetries)
  expect(retries).toMatchObject([
    ['each[3]', { stepId: 'each', itemIndex: 3, failedAttempt: 1, code: 'HANDLER_FAILED' }],
  ])
  expect(all).toBe(head)
  // The event that the view ends at is read again: the view must fit the log.
  expect(read).toBe(head - live.viewSeq + 1)
  expect(live.viewSeq).toBeGreaterThan(ITEMS)
})

it('a live run that waits is drawn from its whole log: only that tells until when [STO-10]', async () => {
  const store = openStore()
  const live = await liveRun(store, ', { id: rest, dependsOn: [], wait: { for: 2h } }')
  const [rows, , read] = await pictureOf(store, live, 'view')
  const [allRows, , all] = await pictureOf(store, live, 'log')
  expect(rows).toEqual(allRows)
  expect(read).toBe((all as number) + 1)
})
