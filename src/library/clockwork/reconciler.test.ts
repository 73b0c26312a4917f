/** The queue goes on whatever stands in it: what cannot be dealt with here is put off and told, and holds nobody up. */
import assert from 'node:assert/strict'
import { expect, it } from 'vitest'
import { openMemoryStore } from '../../adapters/stores/memory/store.ts'
import { systemClock } from '../../adapters/system/clock.ts'
import type { Alert } from '../../core/alerts/catalogue.ts'
import { loadPlan, openKeelson, type Keelson } from '../../main.ts'
import type { RunStore } from '../../ports/run-store.ts'
import { newRun, summary } from '../../testing/store/run-fixtures.ts'
import { commitOne, creation } from '../../testing/store/store-case.ts'
import { countingStore } from '../../../test/fixtures/counting-store.ts'
import { until } from '../../../test/fixtures/until.ts'
import { openClockwork } from './clockwork.ts'

const FAR = loadPlan('plan: far\nversion: 1.0.0\nsteps: [{ id: a, run: elsewhere }]\n')
const NEAR = loadPlan('plan: near\nversion: 1.0.0\nsteps: [{ id: a, run: f }]\n')
/** More than one round takes. */
const STUCK = 105

interface Server extends AsyncDisposable {
  readonly keelson: Keelson
  readonly told: readonly Alert[]
}

/** A process that starts what is queued; another one admits it, so that functions may be missing here. */
async function server(store: RunStore): Promise<Server> {
  const told: Alert[] = []
  const keelson = await openKeelson({ store, steps: { f: () => 1 }, onAlert: (alert) => void told.push(alert) })
  const clockwork = openClockwork(keelson)
  return {
    keelson,
    told,
    [Symbol.asyncDispose]: async () => {
      await clockwork.close()
      await keelson.close()
    },
  }
}

const hasEnded = async (keelson: Keelson, runId: string): Promise<boolean> =>
  (await keelson.run(runId)).row.status === 'COMPLETED'

it('starts a run that stands behind a hundred that this server cannot start, and tells their trouble once', async () => {
  const { store, count } = countingStore(openMemoryStore({ clock: systemClock }))
  // Closing Keelson closes its store, which the other one still has.
  const front = await openKeelson({ store: { ...store, close: async () => undefined }, drives: false, steps: {} })
  const stuck: string[] = []
  for (let index = 0; index < STUCK; index += 1) stuck.push((await front.start(FAR, {}, { queue: true })).runId)
  const behind = await front.start(NEAR, {}, { queue: true })
  await front.close()
  await using one = await server(store)
  await until(() => hasEnded(one.keelson, behind.runId))
  await until(() => one.told.length > 0)
  const tried = count('findRun')
  expect(one.told).toMatchObject([{ code: 'RUN_NOT_RECONCILED', priority: 'P2', tenantId: 'local' }])
  expect(one.told[0]?.detail).toContain('NO_HANDLER')
  expect(stuck).toContain(one.told[0]?.runId)
  // Each of them three or four times by now; without a pause it would be every half second.
  expect(tried).toBeLessThan(STUCK * 6)
})

it('starts what is queued although the place of an ended run cannot be freed', async () => {
  const store = openMemoryStore({ clock: systemClock })
  await store.putPool({ pool: 'limit:tenant@local', capacity: 5 })
  const ended = creation(newRun({ runId: 'broken', tenantId: 'local' }), undefined, {
    summary: summary({ status: 'COMPLETED' }),
    claims: [{ slot: 'RUN', attempt: 1, wants: { 'limit:tenant@local': 1 }, priority: 0 }],
  })
  assert.equal((await commitOne(store, ended)).kind, 'committed')
  assert.equal((await store.endedHolders({ limit: 10, without: [] })).length, 1)
  await using one = await server(store)
  const { runId } = await one.keelson.start(NEAR, {}, { queue: true })
  await until(() => hasEnded(one.keelson, runId))
  await until(() => one.told.some(({ code }) => code === 'RUN_NOT_RECONCILED'))
  expect(one.told.find(({ code }) => code === 'RUN_NOT_RECONCILED')?.runId).toBe('broken')
})
