/** Alerts are made of logs: one request reads so many events of them and no more, and the next one goes on behind them. */
import { expect, it } from 'vitest'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import { alertPage } from '../../src/library/read/alert-page.ts'
import { partsOf } from '../../src/library/services-of.ts'
import { loadPlan, openKeelson } from '../../src/main.ts'
import { countingStore } from '../fixtures/counting-store.ts'
import { until } from '../fixtures/until.ts'

const LONG = loadPlan('plan: long\nversion: 1.0.0\nsteps: [{ id: each, forEach: input.list, run: f }]\n')
const list = Array.from({ length: 2_000 }, (_, index) => index)
/** Of each some four thousand events: together more than one request reads. */
const RUNS = 15

it('a request over long logs ends before it has read them all, and no alert is lost behind its end', async () => {
  const { store, count, reset } = countingStore(openMemoryStore({ clock: systemClock }))
  await using keelson = await openKeelson({ store, steps: { f: () => 1 } })
  const stopped = await keelson.start(LONG, { list: [1] }, { notBefore: Date.now() + 3_600_000 })
  await stopped.signal('EMERGENCY_STOP', { reason: 'the wrong plan' }, { actorId: 'ana', wait: false })
  await until(async () => (await keelson.run(stopped.runId)).row.status === 'CANCELLED')
  let events = 0
  for (let index = 0; index < RUNS; index += 1) {
    const run = await keelson.start(LONG, { list })
    await run.result()
    events += (await keelson.run(run.runId)).row.nextSeq
  }
  expect(events).toBeGreaterThan(55_000)
  const parts = partsOf(keelson)
  reset()
  const first = await alertPage(parts, {}, { limit: 100 })
  expect([first.alerts, typeof first.next]).toEqual([[], 'string'])
  const reads = count('readEvents')
  const second = await alertPage(parts, {}, { limit: 100, cursor: first.next })
  expect(second.alerts).toMatchObject([{ code: 'DESTRUCTIVE_SIGNAL', runId: stopped.runId }])
  expect(second.next).toBeUndefined()
  // Each log is read once: the second request begins where the first one ended.
  expect(count('readEvents') - reads).toBeLessThan(reads / 2)
})
