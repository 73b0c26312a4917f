/** Many change the same thing at the same moment: each change is made, on what the others made of it, and nobody is told of trouble. */
import { expect, it } from 'vitest'
import { openMemoryStore } from '../../src/adapters/stores/memory/store.ts'
import { systemClock } from '../../src/adapters/system/clock.ts'
import type { StoredSchedule } from '../../src/ports/schedules.ts'
import type { StoredTrigger } from '../../src/ports/triggers.ts'
import { testFolder } from '../fixtures/folder.ts'
import { served } from './served.ts'

const AT_ONCE = 60
const PLAN = 'plan: build\nversion: 1.0.0\nsteps: [{ id: pack, run: pack }]\n'
const each = Array.from({ length: AT_ONCE }, (_, at) => at)

/** On a store that writes nothing of it before so many have read: what they read is old by then. */
async function open(readers: number) {
  const store = openMemoryStore({ clock: systemClock })
  let reads = 0
  const all = Promise.withResolvers<void>()
  const noting = <T>(read: T): T => {
    reads += 1
    if (reads === readers) all.resolve()
    return read
  }
  const slow = {
    ...store,
    findTrigger: async (...given: Parameters<typeof store.findTrigger>) => noting(await store.findTrigger(...given)),
    findSchedule: async (...given: Parameters<typeof store.findSchedule>) => noting(await store.findSchedule(...given)),
    putTrigger: async (trigger: StoredTrigger) => {
      if (trigger.revision > 1) await all.promise
      return store.putTrigger(trigger)
    },
    putSchedule: async (schedule: StoredSchedule) => {
      if (schedule.revision > 1) await all.promise
      return store.putSchedule(schedule)
    },
  }
  const server = await served({ steps: { pack: () => 'packed' }, store: slow, keysDirectory: testFolder() })
  await server.publish(PLAN)
  return server
}

it('a trigger that sixty people change at once takes each of the changes', async () => {
  await using server = await open(AT_ONCE)
  const { call } = server
  const definition = { planId: 'build', scheme: 'github' }
  const body = { ...definition, trigger: 'push', secret: 'a secret of sixteen' }
  const made = await call('POST /v1/triggers', { body })
  expect(made.body).toMatchObject({ trigger: 'push' })
  const changes = each.map((at) => call('PUT /v1/triggers/push', { body: { ...definition, input: { at } } }))
  const answers = await Promise.all(changes)
  expect(answers.map(({ status }) => status)).toEqual(each.map(() => 200))
  expect(answers.map(({ body: changed }) => changed.input)).toEqual(each.map((at) => ({ at })))
  const last = (await call('GET /v1/triggers/push')).body
  expect(last.deliverTo).toBe(made.body.deliverTo)
  expect(each).toContain(last.input.at)
})

it('a trigger that is deleted while others change it is gone for those who come later, and trouble for nobody', async () => {
  await using server = await open(20)
  const { call } = server
  const definition = { planId: 'build', scheme: 'github' }
  await call('POST /v1/triggers', { body: { ...definition, trigger: 'push', secret: 'a secret of sixteen' } })
  const change = (at: number) => call('PUT /v1/triggers/push', { body: { ...definition, input: { at } } })
  const changes = each.slice(0, 20).map(change)
  const deleted = call('DELETE /v1/triggers/push')
  const more = each.slice(20).map(change)
  const statuses = (await Promise.all([...changes, ...more])).map(({ status }) => status)
  expect((await deleted).body).toEqual({ trigger: 'push', deleted: true })
  expect(statuses.filter((status) => status !== 200 && status !== 404)).toEqual([])
  expect((await call('GET /v1/triggers/push')).status).toBe(404)
})

it('a schedule that sixty people pause and resume at once takes each of the changes', async () => {
  await using server = await open(AT_ONCE)
  const { call } = server
  const body = { scheduleId: 'nightly', planId: 'build', cron: '@daily' }
  expect((await call('POST /v1/schedules', { body })).status).toBe(201)
  const act = (at: number) =>
    at % 2 === 0 ? call('POST /v1/schedules/nightly/pause', { body: {} }) : call('POST /v1/schedules/nightly/resume')
  const acts = each.map(act)
  expect((await Promise.all(acts)).map(({ status }) => status)).toEqual(each.map(() => 200))
})
