/** Cases about schedules and triggers: each revision once, due ones across tenants, everything else within its own. */
import assert from 'node:assert/strict'
import type { StoredSchedule } from '../../ports/schedules.ts'
import type { StoredTrigger } from '../../ports/triggers.ts'
import { refusedWith, START_MS, type StoreCase } from './store-case.ts'

const NIGHTLY: StoredSchedule = {
  tenantId: 'tenant-a',
  scheduleId: 'nightly',
  revision: 1,
  dueAt: START_MS + 5,
  body: '{"cron":"0 0 * * *","é":"𝄞"}',
}
const TRIGGER: StoredTrigger = {
  tenantId: 'tenant-a',
  name: 'push',
  address: 'address-1',
  revision: 1,
  body: '{"a":1}',
}

export const SCHEDULE_CASES: readonly StoreCase[] = [
  {
    title: 'a schedule comes back as it was put, is listed by id within its tenant, and goes when it is deleted',
    run: async (world) => {
      const { dueAt: _due, ...never } = { ...NIGHTLY, scheduleId: 'Never' }
      for (const one of [NIGHTLY, never, { ...NIGHTLY, tenantId: 'tenant-b' }])
        assert.equal(await world.store.putSchedule(one), true)
      const store = await world.reopen()
      assert.deepEqual(await store.findSchedule('tenant-a', 'nightly'), NIGHTLY)
      assert.deepEqual(await store.findSchedule('tenant-a', 'nobody'), undefined)
      assert.deepEqual(await store.listSchedules('tenant-a', '', 9), [never, NIGHTLY])
      assert.deepEqual(await store.listSchedules('tenant-a', 'Never', 9), [NIGHTLY])
      assert.deepEqual(await store.listSchedules('tenant-a', '', 1), [never])
      assert.equal(await store.deleteSchedule('tenant-c', 'nightly'), false)
      assert.equal(await store.deleteSchedule('tenant-a', 'nightly'), true)
      assert.equal(await store.deleteSchedule('tenant-a', 'nightly'), false)
      assert.equal((await store.findSchedule('tenant-b', 'nightly'))?.tenantId, 'tenant-b')
      await refusedWith('STORE_SCOPE_MISSING', () => store.listSchedules('', '', 1))
    },
  },
  {
    title: 'of many who change one revision of a schedule one succeeds',
    run: async ({ store }) => {
      const first = await Promise.all([1, 2, 3, 4].map((n) => store.putSchedule({ ...NIGHTLY, body: `[${n}]` })))
      assert.equal(first.filter(Boolean).length, 1)
      const changes = [1, 2, 3, 4].map((n) => ({ ...NIGHTLY, revision: 2, dueAt: START_MS + n, body: `{"by":${n}}` }))
      const answers = await Promise.all(changes.map((one) => store.putSchedule(one)))
      assert.equal(answers.filter(Boolean).length, 1)
      assert.deepEqual(await store.findSchedule('tenant-a', 'nightly'), changes[answers.indexOf(true)])
      assert.equal(await store.putSchedule({ ...NIGHTLY, revision: 4 }), false)
      assert.equal(await store.putSchedule({ ...NIGHTLY, scheduleId: 'unknown', revision: 2 }), false)
    },
  },
  {
    title: 'due schedules are those of all tenants, the longest due first; one without an instant is never due',
    run: async ({ store }) => {
      assert.equal(await store.nextScheduleDue(), undefined)
      const { dueAt: _due, ...never } = { ...NIGHTLY, scheduleId: 'never' }
      const later = { ...NIGHTLY, tenantId: 'tenant-b', dueAt: START_MS + 9 }
      const first = { ...NIGHTLY, tenantId: 'tenant-c', dueAt: START_MS }
      for (const one of [NIGHTLY, never, later, first]) await store.putSchedule(one)
      assert.equal(await store.nextScheduleDue(), START_MS)
      assert.deepEqual(await store.dueSchedules(START_MS - 1, 9), [])
      assert.deepEqual(await store.dueSchedules(START_MS + 5, 9), [first, NIGHTLY])
      assert.deepEqual(await store.dueSchedules(START_MS + 99, 2), [first, NIGHTLY])
      await store.putSchedule({ ...never, tenantId: 'tenant-c', scheduleId: 'nightly', revision: 2 })
      assert.equal(await store.nextScheduleDue(), START_MS + 5)
    },
  },
  {
    title: 'a trigger is found by its tenant and name, or by its address, which is used once and never changes',
    run: async (world) => {
      assert.equal(await world.store.putTrigger(TRIGGER), true)
      assert.equal(await world.store.putTrigger({ ...TRIGGER, tenantId: 'tenant-b' }), false)
      assert.equal(await world.store.putTrigger({ ...TRIGGER, address: 'address-2' }), false)
      assert.equal(await world.store.putTrigger({ ...TRIGGER, tenantId: 'tenant-b', address: 'address-2' }), true)
      assert.equal(await world.store.putTrigger({ ...TRIGGER, revision: 2, address: 'other', body: '{"a":2}' }), true)
      assert.equal(await world.store.putTrigger({ ...TRIGGER, revision: 2 }), false)
      const store = await world.reopen()
      const changed = { ...TRIGGER, revision: 2, body: '{"a":2}' }
      assert.deepEqual(await store.findTrigger('tenant-a', 'push'), changed)
      assert.deepEqual(await store.findTriggerAt('address-1'), changed)
      assert.equal(await store.findTriggerAt('other'), undefined)
      assert.equal((await store.findTriggerAt('address-2'))?.tenantId, 'tenant-b')
      assert.deepEqual(await store.listTriggers('tenant-a', '', 9), [changed])
      assert.deepEqual(await store.listTriggers('tenant-a', 'push', 9), [])
      assert.equal(await store.deleteTrigger('tenant-c', 'push'), false)
      assert.equal(await store.deleteTrigger('tenant-a', 'push'), true)
      assert.equal(await store.findTriggerAt('address-1'), undefined)
    },
  },
  {
    title: 'the newest deliveries of a trigger are kept, and go with it',
    run: async ({ store }) => {
      const note = (n: number): Promise<void> =>
        store.noteDelivery('tenant-a', 'push', { at: START_MS + n, body: `{"n":${n}}` }, 3)
      await note(0)
      assert.deepEqual(await store.listDeliveries('tenant-a', 'push', 9), [])
      await store.putTrigger(TRIGGER)
      for (const n of [1, 2, 3, 4, 5]) await note(n)
      const told = await store.listDeliveries('tenant-a', 'push', 9)
      assert.deepEqual(
        told,
        [5, 4, 3].map((n) => ({ at: START_MS + n, body: `{"n":${n}}` })),
      )
      assert.deepEqual(await store.listDeliveries('tenant-a', 'push', 1), told.slice(0, 1))
      assert.deepEqual(await store.listDeliveries('tenant-b', 'push', 9), [])
      await store.deleteTrigger('tenant-a', 'push')
      assert.deepEqual(await store.listDeliveries('tenant-a', 'push', 9), [])
    },
  },
]
