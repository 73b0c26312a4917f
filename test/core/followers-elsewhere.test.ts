/** A process that drives nothing follows the runs of those that do: by the feed of the store, whatever else lies in it. */
import { expect, it } from 'vitest'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import type { Alert } from '../../src/core/alerts/catalogue.ts'
import { loadPlan, openKeelson, type Keelson, type OpenOptions } from '../../src/main.ts'
import type { RunStore } from '../../src/ports/run-store.ts'
import { countingStore, type CountingStore } from '../fixtures/counting-store.ts'
import { until } from '../fixtures/until.ts'

const SHORT = loadPlan('plan: short\nversion: 1.0.0\nsteps: [{ id: a, run: f }]\n')
/** Each item has two events: together more than a view is kept for. */
const LONG = loadPlan(`plan: long\nversion: 1.0.0\nsteps: [{ id: a, run: f, forEach: input.items }]\n`)
const ITEMS = 600

interface Apart extends AsyncDisposable {
  readonly driver: Keelson
  readonly follower: Keelson
  /** What the follower asks of the store. */
  readonly asked: CountingStore
}

/** Two processes on one store; it is closed by neither. */
async function apart(options: OpenOptions): Promise<Apart> {
  const store = openMemoryStore({ clock: systemClock })
  const shared = (inner: RunStore): RunStore => ({ ...inner, close: async () => undefined })
  const asked = countingStore(shared(store))
  const driver = await openKeelson({ store: shared(store), follows: false, steps: { f: () => 1 } })
  for (let index = 0; index < 50; index += 1) await (await driver.start(SHORT)).result()
  const follower = await openKeelson({ store: asked.store, drives: false, follows: 'all', steps: {}, ...options })
  // From here on it is told what moves.
  await until(() => asked.count('readMoves') > 0)
  return {
    driver,
    follower,
    asked,
    [Symbol.asyncDispose]: async () => {
      await follower.close()
      await driver.close()
      await store.close()
    },
  }
}

it('it keeps the view of a long run, and looks at no run that did not move', async () => {
  await using two = await apart({})
  const run = await two.driver.start(LONG, { items: Array.from({ length: ITEMS }, (_, index) => index) })
  await run.result()
  await until(async () => (await two.asked.store.getCheckpoint(run.row.runKey, 'view')) !== undefined)
  expect(two.asked.count('getRun', 'findRun')).toBeLessThanOrEqual(3)
  expect(two.asked.count('listRuns', 'readFeed')).toBe(0)
})

it('it tells the alerts of runs that others drive, and of no run that ended before', async () => {
  const told: Alert[] = []
  await using two = await apart({ onAlert: (alert) => void told.push(alert) })
  const run = await two.driver.start(SHORT, {}, { notBefore: Date.now() + 3_600_000 })
  await run.signal('EMERGENCY_STOP', { reason: 'the wrong plan' }, { actorId: 'ana', wait: false })
  await until(() => told.length > 0)
  expect(told).toMatchObject([{ code: 'DESTRUCTIVE_SIGNAL', priority: 'P1', runId: run.runId }])
  expect(two.asked.count('listRuns')).toBe(0)
  const before = two.asked.count('readEvents')
  const other = await two.driver.start(SHORT)
  await other.result()
  await until(() => two.asked.count('readEvents') > before)
  expect(told).toHaveLength(1)
})
