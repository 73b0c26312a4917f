/** Views of long runs that the store keeps: a reader folds only what came after, and believes nothing that does not fit the log. */
import { hash } from 'node:crypto'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openReader } from '../../src/compose/open-reader.ts'
import { rowsOf } from '../../src/edge/cli/progress/picture.ts'
import { watchFromView, watchRun, type RunWatch } from '../../src/edge/cli/progress/run-watch.ts'
import { snapshotOf } from '../../src/core/view/show/snapshot-of.ts'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import { openSqliteStore } from '../../src/adapters/stores/sqlite/store.ts'
import { VIEW_VERSION } from '../../src/core/view/project/stored-view.ts'
import type { RunSnapshot } from '../../src/core/view/fold/run-snapshot.ts'
import { loadPlan, openKeelson, type Keelson } from '../../src/main.ts'
import type { RunRow, RunStore, StoredCheckpoint } from '../../src/ports/run-store.ts'
import { Projectors } from '../../src/library/tell/projectors.ts'
import { testFolder } from '../fixtures/folder.ts'
import { untilFound } from '../fixtures/until.ts'
import { World } from '../fixtures/virtual-world.ts'

const ITEMS = 2_500
const LONG = loadPlan<{ readonly list: readonly number[] }>(
  'plan: long\nversion: 1.0.0\nsteps: [{ id: each, forEach: input.list, run: f, retry: { maxAttempts: 2, initialBackoffMs: 1 } }]',
)
const list = Array.from({ length: ITEMS }, (_, at) => at)
const clock = { now: () => Date.now() }

const STORES: Readonly<Record<string, () => Promise<RunStore>>> = {
  memory: async () => openMemoryStore({ clock }),
  sqlite: () => openSqliteStore({ path: join(testFolder(), 'runs.db'), clock }),
}

interface Counted {
  readonly store: RunStore
  /** Events that were read since the last call. */
  events(): number
}

/** With `hidesViews` as if no view had been kept. */
function counted(inner: RunStore, hidesViews = false): Counted {
  let events = 0
  const readEvents: RunStore['readEvents'] = async (runKey, range) => {
    const page = await inner.readEvents(runKey, range)
    events += page.length
    return page
  }
  const getCheckpoint: RunStore['getCheckpoint'] = async (runKey, kind, maxSeq) =>
    hidesViews && kind === 'view' ? undefined : inner.getCheckpoint(runKey, kind, maxSeq)
  const own = { readEvents, getCheckpoint, close: async () => undefined }
  return {
    store: new Proxy(inner, {
      get: (target, name, receiver) =>
        (own as Partial<RunStore>)[name as keyof RunStore] ?? Reflect.get(target, name, receiver),
    }),
    events() {
      const read = events
      events = 0
      return read
    },
  }
}

/** Two calls fail, and are repeated. */
function failingTwice(): (n: unknown) => unknown {
  let calls = 0
  return (n) => {
    calls += 1
    if (calls === 7 || calls === 1_007) throw new Error('not yet')
    return n
  }
}

/** A run of some 5,000 events that has ended, and the view that was kept of it beside it. */
async function longRun(store: RunStore): Promise<{ readonly row: RunRow; readonly view: StoredCheckpoint }> {
  const keelson = await openKeelson({
    store: counted(store).store,
    directory: testFolder(),
    steps: { f: failingTwice() },
    onAlert: () => undefined,
  })
  const run = await keelson.start(LONG, { list })
  await run.result()
  const isLast = ({ seq }: StoredCheckpoint, head: number): boolean => head - seq < 1_000
  const head = (await run.records()).length
  const view = await untilFound(async () => {
    const found = await store.getCheckpoint(run.row.runKey, 'view')
    return found !== undefined && isLast(found, head) ? found : undefined
  })
  await keelson.close()
  const row = (await store.getRun(run.row.runKey)) ?? run.row
  return { row, view }
}

const reading = (store: RunStore): Promise<Keelson> => openKeelson({ store, directory: testFolder(), adopt: false })

describe.each(Object.keys(STORES))('on the %s store', (name) => {
  it('a run of 5,000 events is shown from its view and the events after it, the same as from all of them [STO-10]', async () => {
    const store = await (STORES[name] ?? STORES['memory'])?.()
    if (store === undefined) throw new Error(name)
    const { row, view } = await longRun(store)
    const head = row.nextSeq - 1
    expect(head).toBeGreaterThan(2 * ITEMS)
    const here = counted(store)
    await using keelson = await reading(here.store)
    const shown = await keelson.getSnapshot(row.runId)
    expect(here.events()).toBe(head - view.seq + 1)
    const anew = await keelson.projectSnapshot(row.runId)
    expect(here.events()).toBe(head)
    expect(shown).toEqual(anew)
    expect(shown).toMatchObject({ status: 'COMPLETED', lastEventSeq: head, steps: [{ items: { done: ITEMS } }] })
    expect(await keelson.getSnapshot('nobody')).toBeNull()
    expect(await keelson.projectSnapshot('nobody')).toBeNull()
    const without = counted(store, true)
    const shownBy = async (place: Counted): Promise<readonly [unknown, number]> => {
      const reader = await openReader({ directory: testFolder(), store: place.store })
      place.events()
      const watch = await watchFromView(reader, await reader.run(row.runId))
      await watch.pump()
      return [snapshotOf(watch.view), place.events()]
    }
    const reader = await openReader({ directory: testFolder(), store: here.store })
    const rows = async (watch: RunWatch): Promise<unknown> => {
      await watch.pump()
      return rowsOf(watch, 0)
    }
    const handle = await reader.run(row.runId)
    expect(await rows(await watchFromView(reader, handle))).toEqual(await rows(await watchRun(handle)))
    expect((await watchFromView(reader, handle)).itemFailures.get('each')).toEqual(new Map([['HANDLER_FAILED', 2]]))
    here.events()
    expect(await handle.result()).toMatchObject({ status: 'COMPLETED' })
    expect(here.events()).toBeLessThanOrEqual(100)
    // What `keelson show --json` does.
    expect(await shownBy(here)).toEqual([shown, head - view.seq + 1])
    expect(await shownBy(without)).toEqual([shown, head])
    await using other = await reading(without.store)
    expect(await other.getSnapshot(row.runId)).toEqual(shown)
    expect(without.events()).toBe(head)
    await store.close()
  })

  it('a view that is damaged, of another version or of another log is passed over, and the whole log is read [PRJ-15]', async () => {
    const store = await (STORES[name] ?? STORES['memory'])?.()
    if (store === undefined) throw new Error(name)
    const { row, view } = await longRun(store)
    const seq = row.nextSeq - 1
    const here = counted(store)
    await using keelson = await reading(here.store)
    const anew = await keelson.projectSnapshot(row.runId)
    const changed = view.body.slice(64).replace(`"lastEventSeq":${view.seq}`, `"lastEventSeq":${view.seq - 1}`)
    const other = `${'0'.repeat(64)}${view.body.slice(128)}`
    const bodies = {
      damaged: view.body.replace('COMPLETED', 'CANCELLED'),
      half: view.body.slice(0, 500),
      empty: '',
      'of another log': hash('sha256', other) + other,
      'of another number': hash('sha256', changed) + changed,
    }
    for (const [what, body] of Object.entries(bodies)) {
      await store.putCheckpoint(row.runKey, { kind: 'view', seq, rulesVersion: VIEW_VERSION, body })
      here.events()
      expect(await keelson.getSnapshot(row.runId), what).toEqual(anew)
      expect(here.events(), what).toBeGreaterThanOrEqual(seq)
    }
    for (const rulesVersion of [VIEW_VERSION - 1, VIEW_VERSION + 1]) {
      await store.putCheckpoint(row.runKey, { ...view, seq, rulesVersion })
      expect(await keelson.getSnapshot(row.runId)).toEqual(anew)
    }
    await store.close()
  })
})

it('where nobody listens, the view of a long run is kept once the run rests, and none of a short one [P-51]', async () => {
  const store = openMemoryStore({ clock })
  await using keelson = await openKeelson({ store, directory: testFolder(), steps: { f: (n: unknown) => n } })
  const short = await keelson.start(LONG, { list: [1, 2, 3] })
  await short.result()
  const run = await keelson.start(LONG, { list: list.slice(0, 600) })
  await run.result()
  const view = await untilFound(() => store.getCheckpoint(run.row.runKey, 'view'))
  expect(view.seq).toBeGreaterThanOrEqual(1_000)
  expect(await store.getCheckpoint(short.row.runKey, 'view')).toBeUndefined()
  expect(await keelson.getSnapshot(run.runId)).toEqual(await keelson.projectSnapshot(run.runId))
})

it('the view of a run that has ended waits until the process has nothing else to do [P-51]', async () => {
  const world = new World()
  const process = world.process('only', { script: { f: () => 1 } })
  const { store, advancer } = process
  const input = { list: list.slice(0, 600) }
  const runKey = await process.start('steps: [{ id: each, forEach: input.list, run: f }]', { input })
  await world.runUntil(() => world.hasEnded(runKey))
  const looks: (() => void)[] = []
  const timers = { after: (_ms: number, look: () => void) => (looks.push(look), () => undefined), defer: setImmediate }
  const projectors = new Projectors({ store, clock, plans: advancer.plans, timers, isSimulated: false })
  const ended = await advancer.advance(runKey)
  const looked = async (): Promise<boolean> => {
    looks.shift()?.()
    await untilFound(async () => looks[0] ?? (await store.getCheckpoint(runKey, 'view')))
    return (await store.getCheckpoint(runKey, 'view')) !== undefined
  }
  projectors.moved(runKey, ended)
  expect(await looked()).toBe(false)
  // A run of a few events keeps the process from it, too.
  projectors.moved(runKey + 1, { ...ended, headSeq: 3 })
  expect(await looked()).toBe(false)
  expect(await looked()).toBe(true)
})

it('nothing is left of the view of a run that is erased, and nothing is kept of it again', async () => {
  const directory = testFolder()
  const path = join(directory, 'keelson.db')
  const keelson = await openKeelson({ directory, steps: { f: (n: unknown) => n }, onAlert: () => undefined })
  const run = await keelson.start(LONG, { list })
  await run.result()
  await keelson.close()
  const again = await openKeelson({ directory, onAlert: () => undefined, adopt: false })
  const before = await openSqliteStore({ path, clock, readOnly: true })
  expect(await before.getCheckpoint(run.row.runKey, 'view')).toBeDefined()
  await before.close()
  await again.maintenance.erase((await again.run(run.runId)).row, { reason: 'asked' })
  const erased = await again.getSnapshot(run.runId)
  expect(erased).toEqual(await again.projectSnapshot(run.runId))
  const { findings } = await again.maintenance.verify((await again.run(run.runId)).row)
  expect(findings ?? []).toEqual([])
  await again.close()
  const after = await openSqliteStore({ path, clock, readOnly: true })
  expect(await after.getCheckpoint(run.row.runKey, 'view')).toBeUndefined()
  await after.close()
})

it('a run is shown again each time it has changed, until it ends, and never as it was before [PRJ-26]', async () => {
  const gates = [Promise.withResolvers<number>(), Promise.withResolvers<number>()]
  let called = 0
  const plan = loadPlan('plan: two\nversion: 1.0.0\nsteps: [{ id: a, run: f }, { id: b, run: f, dependsOn: [a] }]')
  await using keelson = await openKeelson({
    directory: ':memory:',
    steps: { f: () => gates[called++]?.promise },
  })
  const run = await keelson.start(plan)
  const seen: RunSnapshot[] = []
  for await (const snapshot of run.snapshots()) {
    seen.push(snapshot)
    const [a, b] = snapshot.steps
    if (a?.status === 'RUNNING') gates[0]?.resolve(1)
    if (b?.status === 'RUNNING') gates[1]?.resolve(2)
  }
  const seqs = seen.map(({ lastEventSeq }) => lastEventSeq)
  expect(seqs).toEqual([...new Set(seqs)].toSorted((one, two) => one - two))
  expect(seen.at(-1)).toEqual(await run.projectSnapshot())
  expect(seen.at(-1)).toMatchObject({ status: 'COMPLETED' })
  const told = []
  for await (const snapshot of run.snapshots()) told.push(snapshot)
  expect(told).toEqual([seen.at(-1)])
})
