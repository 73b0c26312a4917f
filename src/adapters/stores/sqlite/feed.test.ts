/** Paging by feed_pos (P-50): runs that a cursor passes, odd positions, and two deliverers under one name. */
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Delivery, FeedItem, FeedPage } from '../../../ports/feed.ts'
import type { RunStore } from '../../../ports/run-store.ts'
import { newRun } from '../../../testing/store/run-fixtures.ts'
import { creation, nextCommit, step } from '../../../testing/store/store-case.ts'
import { openSqliteStore } from './store.ts'
import { testFolder } from '../../../../test/fixtures/folder.ts'

const clock = { now: () => 1_800_000_000_000 }
let folder = ''
let store: RunStore

beforeEach(async () => {
  folder = testFolder()
  store = await openSqliteStore({ path: join(folder, 'keelson.db'), clock })
})
afterEach(async () => {
  await store.close()
})

async function runs(count: number, events: number): Promise<void> {
  const specs = Array.from({ length: events }, (_, n) => step('StepStarted', `s${n}`))
  await store.commit(Array.from({ length: count }, (_, n) => creation(newRun({ runId: `r${n}` }), specs)))
}

const read = (limit = 100): Promise<FeedPage> => store.readFeed('s', { now: 0, limit })
const delivered = ({ runKey, event }: FeedItem): Delivery => ({ runKey, runSeq: event.runSeq, result: 'delivered' })
const settle = (position: string, items: readonly FeedItem[]): Promise<void> =>
  store.settleFeed('s', { position, deliveries: items.map(delivered) })
const names = ({ items }: FeedPage): readonly string[] => items.map(({ run, event }) => `${run.runId}#${event.runSeq}`)

describe('a cursor', () => {
  it('that passes runs of which nothing was settled leaves them in the backlog, and they come again [P-50]', async () => {
    await runs(3, 2)
    const page = await read()
    await settle(page.position, page.items.slice(0, 3))
    expect(names(await read())).toEqual(['r1#2', 'r2#1', 'r2#2'])
    expect((await store.feedStatus('s')).runsBehind).toBe(2)
    const rest = await read()
    await settle(rest.position, rest.items)
    expect((await read()).items).toEqual([])
    expect((await store.feedStatus('s')).runsBehind).toBe(0)
  })

  it('given back as nonsense, or beyond what there is, makes nothing come never', async () => {
    await runs(2, 1)
    await settle('99999999999', [])
    await settle('not a position', [])
    expect(names(await read())).toEqual(['r0#1', 'r1#1'])
    await store.commit([creation(newRun({ runId: 'later' }))])
    expect(names(await read())).toEqual(['r0#1', 'r1#1', 'later#1'])
  })

  it('never goes back when a slower deliverer of the same name settles an older page', async () => {
    await runs(4, 1)
    const [old, recent] = [await read(2), await read(4)]
    await settle(recent.position, recent.items)
    await settle(old.position, old.items)
    expect((await read()).items).toEqual([])
  })

  it('passes commits without events: an adoption is nothing to deliver', async () => {
    await runs(1, 1)
    const page = await read()
    await settle(page.position, page.items)
    const row = await store.findRun({ tenantId: 'tenant-a', runId: 'r0' })
    if (row === undefined) throw new Error('the run was not stored')
    await store.commit([nextCommit(row, [], { newEpoch: 2 })])
    expect(await read()).toEqual({ items: [], position: page.position })
    expect((await store.feedStatus('s')).runsBehind).toBe(0)
  })
})

describe('a delivery', () => {
  it('after a hole settles nothing: what lies in the hole comes first', async () => {
    await runs(1, 3)
    const page = await read()
    await settle(page.position, page.items.slice(1))
    expect(names(await read())).toEqual(['r0#1', 'r0#2', 'r0#3'])
  })
})

describe('a page', () => {
  it('goes past any number of runs that have nothing new to one that has', async () => {
    await runs(450, 0)
    await store.commit([creation(newRun({ runId: 'last' }))])
    expect(names(await read(1))).toEqual(['last#1'])
  })
})
