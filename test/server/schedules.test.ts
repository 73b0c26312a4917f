/** Schedules over real HTTP: made, listed, changed, paused, filled in and removed, and runs that they start. */
import { afterEach, expect, it } from 'vitest'
import { openClockwork, type Clockwork } from '../../src/library/clockwork/clockwork.ts'
import { connect } from '../../src/client/connect.ts'
import { ANA, BOB, EVE, served, type Served } from './served.ts'

const PLAN = 'plan: nightly\nversion: 1.0.0\nsteps: [{ id: pack, run: pack }]\noutput: { day: "${input.day}" }\n'
const ASKED = { scheduleId: 'every-night', planId: 'nightly', cron: '30 2 * * *', zone: 'Europe/Berlin' }

let server: Served | undefined
let clockwork: Clockwork | undefined

afterEach(async () => {
  await clockwork?.close()
  await server?.[Symbol.asyncDispose]()
  clockwork = undefined
})

async function open(): Promise<Served> {
  const opened = await served({ steps: { pack: () => 'packed' } })
  server = opened
  await opened.publish(PLAN)
  return opened
}

it('makes a schedule with its defaults, shows its next ten occurrences, and keeps names apart by tenant', async () => {
  const { call, publish } = await open()
  const made = await call('POST /v1/schedules', { body: { ...ASKED, input: { day: '${input.at}' } } })
  expect(made.status).toBe(201)
  expect(made.body).toMatchObject({
    ...ASKED,
    overlap: 'skip',
    catchUp: 'latest',
    catchUpMax: 100,
    paused: false,
    ofPlan: false,
    createdBy: 'ana',
  })
  const { body } = await call('GET /v1/schedules/every-night')
  expect(body.last).toEqual([])
  expect(body.next).toHaveLength(10)
  expect(body.next[0]).toBe(made.body.nextAt)
  expect(body.next.every((at: string) => /T0[01]:30:00\.000Z$/.test(at))).toBe(true)
  const again = await call('POST /v1/schedules', { body: ASKED })
  expect([again.status, again.body.error.code]).toEqual([409, 'SCHEDULE_EXISTS'])
  const early = await call('POST /v1/schedules', { as: EVE, body: ASKED })
  expect([early.status, early.body.error.code]).toEqual([404, 'PLAN_NOT_FOUND'])
  await publish(PLAN, 'evil')
  expect((await call('POST /v1/schedules', { as: EVE, body: ASKED })).status).toBe(201)
  expect((await call('GET /v1/schedules')).body.schedules).toHaveLength(1)
  expect((await call('DELETE /v1/schedules/every-night', { as: EVE })).body).toEqual({
    scheduleId: 'every-night',
    deleted: true,
  })
  expect((await call('GET /v1/schedules/every-night')).status).toBe(200)
  const gone = await call('GET /v1/schedules/every-night', { as: EVE })
  expect([gone.status, gone.body.error.code]).toEqual([404, 'SCHEDULE_NOT_FOUND'])
})

it.each([
  [{ cron: '61 * * * *' }, '/cron'],
  [{ cron: undefined }, ''],
  [{ every: '1h' }, ''],
  [{ cron: undefined, every: '10ms' }, '/every'],
  [{ zone: 'Europe/Atlantis' }, '/zone'],
  [{ zone: '+02:00' }, '/zone'],
  [{ jitter: '2d' }, '/jitter'],
])('refuses %o and names the field', async (wrong, pointer) => {
  const { call } = await open()
  const { status, body } = await call('POST /v1/schedules', { body: { ...ASKED, ...wrong } })
  expect([status, body.error.code, body.error.problems[0].pointer]).toEqual([400, 'SCHEDULE_INVALID', pointer])
})

it('pauses, resumes and updates a schedule, and records each act in the audit log', async () => {
  const { call } = await open()
  await call('POST /v1/schedules', { body: ASKED })
  const until = '2999-01-01T00:00:00.000Z'
  const paused = await call('POST /v1/schedules/every-night/pause', { as: BOB, body: { until } })
  expect(paused.body).toMatchObject({ paused: true, pausedUntil: until, pausedBy: 'bob', updatedBy: 'bob' })
  expect(paused.body.nextAt > until).toBe(true)
  const forEver = await call('POST /v1/schedules/every-night/pause', { body: { reason: 'stock count' } })
  expect(forEver.body).toMatchObject({ pausedBy: 'ana', pauseReason: 'stock count', pausedAt: expect.any(String) })
  expect(forEver.body.nextAt).toBeUndefined()
  expect((await call('GET /v1/schedules/every-night')).body.next).toEqual([])
  expect((await call('POST /v1/schedules/every-night/pause', { body: { until: '2020-01-01T00:00:00Z' } })).status).toBe(
    400,
  )
  const resumed = await call('POST /v1/schedules/every-night/resume')
  expect(resumed.body).toMatchObject({ paused: false })
  for (const told of ['pausedUntil', 'pausedAt', 'pausedBy', 'pauseReason'])
    expect(resumed.body).not.toHaveProperty(told)
  const changed = await call('PUT /v1/schedules/every-night', {
    body: { planId: 'nightly', every: '1h', overlap: 'queue' },
  })
  expect(changed.body).toMatchObject({ every: '1h', overlap: 'queue', zone: 'UTC' })
  expect(changed.body.cron).toBeUndefined()
  const { body } = await call('GET /v1/audit')
  const told = body.records.map((one: { readonly record: string }) => {
    const { call: id, target } = JSON.parse(one.record) as { readonly call?: string; readonly target?: string }
    return [id, target]
  })
  for (const id of ['createSchedule', 'pauseSchedule', 'resumeSchedule', 'updateSchedule'])
    expect(told).toContainEqual([id, 'every-night'])
})

it('starts runs in their second, once, as the actor of the schedule, and shows them', async () => {
  const { call, keelson } = await open()
  clockwork = openClockwork(keelson)
  const body = { scheduleId: 'ticks', planId: 'nightly', every: '1s', overlap: 'allow', input: { day: '${input.at}' } }
  await call('POST /v1/schedules', { body })
  await expect.poll(async () => (await call('GET /v1/schedules/ticks')).body.last.length).toBeGreaterThan(1)
  const { last } = (await call('GET /v1/schedules/ticks')).body
  const [{ at, executionId, outcome }] = last
  expect(outcome).toBe('started')
  expect(at).toMatch(/:\d\d\.000Z$/)
  await expect.poll(async () => (await call(`GET /v1/executions/${executionId}`)).body.status).toBe('COMPLETED')
  const run = (await call(`GET /v1/executions/${executionId}`)).body
  const told = (await call('GET /v1/schedules/ticks')).body.last.find((one: { at: string }) => one.at === at)
  expect(told).toMatchObject({ executionId, status: 'COMPLETED' })
  expect(run).toMatchObject({ triggeredBy: 'schedule:ticks', planId: 'nightly' })
  expect((await keelson.list()).runs).toEqual([])
  expect(clockwork.parts.map((part) => [part.name, part.working()])).toContainEqual(['schedules', true])
})

it('tells when times would come before there is a schedule, and what is wrong with them', async () => {
  const { call } = await open()
  const { body } = await call('POST /v1/schedules/preview', { body: { cron: '30 2 * * *', zone: 'Europe/Berlin' } })
  expect(body.next).toHaveLength(10)
  expect(body.next.every((at: string) => /T0[01]:30:00\.000Z$/.test(at))).toBe(true)
  const wrong = await call('POST /v1/schedules/preview', { body: { cron: '61 * * * *', zone: 'Europe/Atlantis' } })
  expect(wrong.status).toBe(400)
  expect(wrong.body.error.problems.map(({ pointer }: { pointer: string }) => pointer)).toEqual(['/cron', '/zone'])
  expect((await call('GET /v1/schedules')).body.schedules).toEqual([])
})

it('previews a backfill, runs it so many at once, and does not run again what ran', async () => {
  const { call, keelson } = await open()
  clockwork = openClockwork(keelson)
  await call('POST /v1/schedules', {
    body: { ...ASKED, cron: '0 12 * * *', zone: 'UTC', input: { day: '${input.at}' } },
  })
  const span = { from: '2026-01-01T12:00:00Z', to: '2026-01-05T12:00:00Z' }
  const query = new URLSearchParams(span).toString()
  const days = [1, 2, 3, 4, 5].map((day) => `2026-01-0${day}T12:00:00.000Z`)
  const preview = await call(`GET /v1/schedules/every-night/backfill?${query}`)
  expect(preview.body).toEqual({ occurrences: 5, existed: 0, first: days })
  const begun = await call('POST /v1/schedules/every-night/backfill', { body: { ...span, concurrency: 2 } })
  expect([begun.status, begun.body.occurrences]).toEqual([202, 5])
  const ended = async (): Promise<number> => {
    const { backfills } = (await call('GET /v1/schedules/every-night')).body
    return backfills.filter((one: { endedAt?: string }) => one.endedAt !== undefined).length
  }
  await expect.poll(ended).toBe(1)
  const { executions } = (await call('GET /v1/executions')).body
  expect(executions.map((one: { executionId: string }) => one.executionId).sort()).toEqual(
    days.map((at) => `every-night-${at.replaceAll(/[-:.]/g, '')}`),
  )
  expect((await call(`GET /v1/schedules/every-night/backfill?${query}`)).body.existed).toBe(5)
  await call('POST /v1/schedules/every-night/backfill', { body: { ...span, concurrency: 5 } })
  await expect.poll(ended).toBe(2)
  const { backfills } = (await call('GET /v1/schedules/every-night')).body
  expect(backfills).toMatchObject([
    { started: 5, existed: 0, failed: 0, concurrency: 2, askedBy: 'ana' },
    { started: 0, existed: 5, failed: 0 },
  ])
  expect((await call('GET /v1/executions')).body.executions).toHaveLength(5)
  const future = { ...span, to: '2999-01-01T00:00:00Z' }
  expect((await call('POST /v1/schedules/every-night/backfill', { body: future })).body.error.code).toBe(
    'SCHEDULE_INVALID',
  )
})

it('is offered by the typed client', async () => {
  const { url } = await open()
  const client = connect({ url, apiKey: ANA })
  await client.call('createSchedule', { body: { ...ASKED, scheduleId: 'typed' } })
  const { schedules } = await client.call('listSchedules')
  expect(schedules.map(({ scheduleId }) => scheduleId)).toEqual(['typed'])
})

it('a plan brings its own schedule: publishing makes it, changes it, and a version without it removes it', async () => {
  const { call } = await open()
  const text = (version: string, schedule: string): string =>
    `plan: own\nversion: ${version}\n${schedule}steps: [{ id: a, run: pack }]\n`
  const put = (version: string, schedule: string): Promise<{ status: number; body: { error: { code: string } } }> =>
    call('PUT /v1/plans', { body: { text: text(version, schedule) } })
  expect((await put('1.0.0', "schedule: { cron: '0 4 * * *', zone: Europe/Berlin, overlap: queue }\n")).status).toBe(
    200,
  )
  const made = (await call('GET /v1/schedules/own')).body.schedule
  expect(made).toMatchObject({
    planId: 'own',
    cron: '0 4 * * *',
    zone: 'Europe/Berlin',
    overlap: 'queue',
    ofPlan: true,
  })
  expect(made.planVersion).toBeUndefined()
  for (const line of ['DELETE /v1/schedules/own', 'PUT /v1/schedules/own']) {
    const body = line.startsWith('PUT') ? { planId: 'own', every: '1h' } : undefined
    expect((await call(line, { body })).body.error.code).toBe('SCHEDULE_OF_PLAN')
  }
  expect((await call('POST /v1/schedules/own/pause', { body: {} })).body.paused).toBe(true)
  const wrong = await put('1.1.0', "schedule: { cron: '99 4 * * *' }\n")
  expect([wrong.status, wrong.body.error.code]).toEqual([400, 'SCHEDULE_INVALID'])
  expect((await call('GET /v1/plans/own/versions')).body.versions).toHaveLength(1)
  await put('1.1.0', 'schedule: { every: 2h }\n')
  expect((await call('GET /v1/schedules/own')).body.schedule).toMatchObject({ every: '2h', paused: true })
  await put('1.2.0', '')
  expect((await call('GET /v1/schedules/own')).status).toBe(404)
  const taken = await call('POST /v1/schedules', { body: { ...ASKED, scheduleId: 'own' } })
  expect(taken.status).toBe(201)
  expect((await put('1.3.0', 'schedule: { every: 2h }\n')).body.error.code).toBe('SCHEDULE_EXISTS')
})

it('an older version that is published again leaves the schedule of the newest one as it is', async () => {
  const { call } = await open()
  const put = async (version: string, schedule: string): Promise<number> => {
    const text = `plan: own\nversion: ${version}\n${schedule}steps: [{ id: a, run: pack }]\n`
    return (await call('PUT /v1/plans', { body: { text } })).status
  }
  const every = async (): Promise<unknown> => (await call('GET /v1/schedules/own')).body.schedule?.every
  await put('1.0.0', '')
  await put('1.1.0', 'schedule: { every: 3h }\n')
  await put('1.2.0', 'schedule: { every: 2h }\n')
  expect([await put('1.0.0', ''), await every()]).toEqual([200, '2h'])
  expect([await put('1.1.0', 'schedule: { every: 3h }\n'), await every()]).toEqual([200, '2h'])
  await put('1.3.0', '')
  expect(await every()).toBeUndefined()
  expect([await put('1.2.0', 'schedule: { every: 2h }\n'), await every()]).toEqual([200, undefined])
  // A schedule of that name which a person made since is no reason to refuse what changes nothing.
  await call('POST /v1/schedules', { body: { ...ASKED, scheduleId: 'own' } })
  expect(await put('1.1.0', 'schedule: { every: 3h }\n')).toBe(200)
})
