/**
 * Operations of the differential test on feeds, archival and counts. Stores may mix runs differently in a page, so what
 * comes of an item depends on its run alone, and pages are compared by run.
 */
import type { Delivery, FeedItem } from '../../src/ports/feed.ts'
import type { RunStore } from '../../src/ports/run-store.ts'
import { anyRow, some, TENANTS, yes, type Operations, type Scene } from './scene.ts'

export const SUBSCRIBERS = ['audit', 'mail'] as const

const byRun = (a: FeedItem, b: FeedItem): number => a.runKey - b.runKey || a.event.runSeq - b.event.runSeq

/** Some events fail at first, some for ever; the rest of a run waits behind them. */
function outcomeOf({ runKey, event, attempts }: FeedItem, now: number): Delivery {
  const { runSeq } = event
  const at = { runKey, runSeq }
  const kind = (runKey * 3 + runSeq) % 5
  if (kind === 0 || (kind === 1 && attempts >= 2)) return { ...at, result: 'dead', error: 'no use' }
  if (kind === 1 || (kind === 2 && attempts < 1)) return { ...at, result: 'failed', retryAt: now + 100, error: 'later' }
  return { ...at, result: 'delivered' }
}

function outcomes(items: readonly FeedItem[], now: number): readonly Delivery[] {
  const blocked = new Set<number>()
  return items.flatMap((item) => {
    if (blocked.has(item.runKey)) return []
    const outcome = outcomeOf(item, now)
    if (outcome.result === 'failed') blocked.add(item.runKey)
    return [outcome]
  })
}

async function drain(store: RunStore, name: string, limit: number, now: number): Promise<readonly FeedItem[]> {
  const seen: FeedItem[] = []
  for (;;) {
    const { items, position } = await store.readFeed(name, { now, limit })
    if (items.length === 0) return seen.sort(byRun)
    const deliveries = outcomes(items, now)
    seen.push(...items.filter((_, index) => deliveries.some((one) => one.runKey === items[index]?.runKey)))
    await store.settleFeed(name, { position, deliveries })
  }
}

/** Of each run the first event only. */
async function settleHeads(store: RunStore, name: string, now: number): Promise<number> {
  const { items, position } = await store.readFeed(name, { now, limit: 1000 })
  const heads = items.filter((item, index) => items.findIndex(({ runKey }) => runKey === item.runKey) === index)
  await store.settleFeed(name, { position, deliveries: outcomes(heads, now) })
  return heads.length
}

function archiveMove(scene: Scene, answer: string) {
  const { runKey, headHash } = anyRow(scene)
  const ticket = scene.chance.below(3) === 0 ? new Uint8Array(32) : headHash
  return { call: (store: RunStore) => store.archiveRun(runKey, ticket), succeeded: (got: unknown) => got === answer }
}

export const FEED_OPERATIONS: Operations = {
  readFeed: ({ chance, now }) => {
    const name = chance.pick(SUBSCRIBERS)
    const call = async (store: RunStore) => (await store.readFeed(name, { now, limit: 1000 })).items.toSorted(byRun)
    return { call, succeeded: some }
  },
  drainFeed: ({ chance, now }) => {
    const [name, limit] = [chance.pick(SUBSCRIBERS), 1 + chance.below(6)]
    const call = async (store: RunStore) =>
      new Set((await drain(store, name, limit, now)).map(({ runKey }) => runKey)).size
    return { call, succeeded: (runs) => runs !== 0 }
  },
  settleHeads: ({ chance, now }) => {
    const name = chance.pick(SUBSCRIBERS)
    return { call: (store) => settleHeads(store, name, now), succeeded: (heads) => heads !== 0 }
  },
  dropDeadLetter: ({ chance }) => {
    const name = chance.pick(SUBSCRIBERS)
    const call = async (store: RunStore) => {
      const deadLetters = await store.readDeadLetters(name, 1000)
      const [first] = deadLetters.toSorted((a, b) => a.runKey - b.runKey || a.runSeq - b.runSeq)
      return first === undefined ? false : store.dropDeadLetter(name, first.runKey, first.runSeq)
    }
    return { call, succeeded: yes }
  },
  dropSubscriber: ({ chance }) => {
    const name = chance.pick(SUBSCRIBERS)
    return { call: (store) => store.dropSubscriber(name) }
  },
  archivableRuns: ({ chance, now }) => {
    const [before, limit] = [now + chance.below(200) - 100, 1 + chance.below(4)]
    return { call: (store) => store.archivableRuns(before, limit), succeeded: some }
  },
  archiveRun: (scene) => archiveMove(scene, 'archived'),
  archiveOpen: (scene) => archiveMove(scene, 'not-terminal'),
  archiveMoved: (scene) => archiveMove(scene, 'head-moved'),
  raiseEpochs: () => ({ call: (store) => store.raiseEpochs(), succeeded: (raised) => raised !== 0 }),
  countRuns: ({ chance }) => {
    const tenantId = chance.pick(TENANTS)
    const call = async (store: RunStore) =>
      [...(await store.countRuns(tenantId))].filter(([, count]) => count !== 0).toSorted(([a], [b]) => (a < b ? -1 : 1))
    return { call, succeeded: some }
  },
}
