/**
 * Clockworks on a real store that start real runs, under a clock that the test moves: processes that were down, clocks that jump, several
 * of them at once. What counts is the exact list of request keys.
 */
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ScheduleClockwork } from '../../src/app/schedules/clockwork.ts'
import * as schedules from '../../src/app/schedules/manage-schedules.ts'
import type { ScheduleAsked } from '../../src/core/schedule/definition.ts'
import { requestKeyOf } from '../../src/app/start/new-run.ts'
import { isoFromMs, msFromIso } from '../../src/core/time.ts'
import { runStarter } from '../../src/library/clockwork/run-starter.ts'
import { onBehalf } from '../../src/library/behalf/on-behalf.ts'
import { storeOf } from '../../src/library/services-of.ts'
import { loadPlan, openKeelson, type Keelson } from '../../src/main.ts'
import { handClock, type HandClock } from './hand-clock.ts'

const START = msFromIso('2026-06-01T00:00:00Z') ?? 0
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const PRINCIPAL = { tenantId: 'acme', projectId: 'default', environmentId: 'local', actorId: 'ana' }

let keelson: Keelson
let time: HandClock
let release: () => void
let clockworks: ScheduleClockwork[] = []

beforeEach(async () => {
  const gate = new Promise<void>((resolve) => {
    release = resolve
  })
  keelson = await openKeelson({ directory: ':memory:', steps: { pack: () => 'packed', wait: async () => gate } })
  for (const [plan, run] of [
    ['fine', 'pack'],
    ['slow', 'wait'],
    ['odd', 'nobodyHasIt'],
  ])
    await onBehalf(keelson, PRINCIPAL).publish(
      loadPlan(`plan: ${plan}\nversion: 1.0.0\nsteps: [{ id: a, run: ${run} }]\n`),
    )
  time = handClock(START)
})

afterEach(async () => {
  release()
  for (const one of clockworks) await one.close()
  clockworks = []
  await keelson.close()
})

function managing(now = time.clock.now()): schedules.Managing {
  return { store: storeOf(keelson), tenantId: 'acme', actorId: 'ana', now }
}

async function create(asked: Partial<ScheduleAsked>): Promise<void> {
  await schedules.createSchedule(managing(), { scheduleId: 'nightly', asked: { planId: 'fine', ...asked } })
}

function open(own: HandClock = time): ScheduleClockwork {
  const clockwork = new ScheduleClockwork({
    store: storeOf(keelson),
    runs: runStarter(keelson),
    clock: own.clock,
    timers: own.timers,
    tell: (thrown) => {
      throw thrown
    },
  })
  clockworks.push(clockwork)
  return clockwork
}

/** The instants of all runs, oldest first. Each has the request key and the id of its occurrence. */
async function keys(): Promise<readonly string[]> {
  const found: string[] = []
  for await (const row of onBehalf(keelson, PRINCIPAL).runs()) {
    const at = row.runId.replace(/^nightly-(....)(..)(..T..)(..)(..)(...Z)$/, '$1-$2-$3:$4:$5.$6')
    expect(row.requestKey).toBe(requestKeyOf(row, `schedule:nightly:${at}`))
    found.push(at)
  }
  return found.sort()
}

function hours(from: number, to: number): readonly string[] {
  return Array.from({ length: to - from + 1 }, (_, n) => isoFromMs(START + (from + n) * HOUR))
}

it.each([
  ['none', {}, []],
  ['latest', {}, hours(50, 50)],
  ['all', {}, hours(1, 50)],
  ['all', { catchUpMax: 7 }, hours(44, 50)],
] as const)('down over 50 occurrences, catch-up %s %o starts exactly these', async (catchUp, more, expected) => {
  await create({ cron: '0 * * * *', catchUp, overlap: 'allow', ...more })
  time.pass(50 * HOUR + 30 * MINUTE)
  open()
  expect(await time.slept()).toBe(15_000)
  expect(await keys()).toEqual(expected)
  time.pass(30 * MINUTE)
  await time.slept()
  expect(await keys()).toEqual([...expected, ...hours(51, 51)])
})

it('sleeps until the next occurrence, and starts it in its minute as the actor of the schedule', async () => {
  await create({ every: '10s', zone: 'Europe/Berlin', input: { day: '${input.at}', of: '${input.scheduleId}' } })
  open()
  expect(await time.slept()).toBe(10_000)
  time.pass(10_000)
  await time.slept()
  const [run] = (await onBehalf(keelson, PRINCIPAL).list()).runs
  expect(run).toMatchObject({
    planId: 'fine',
    triggeredBy: 'schedule:nightly',
    runId: 'nightly-20260601T000010000Z',
  })
  const told: unknown[] = []
  for await (const event of (await onBehalf(keelson, PRINCIPAL).run(run?.runId ?? '')).events()) told.push(event)
  expect(JSON.stringify(told)).toContain('"triggerSource":"schedule"')
})

it('two clockworks, and one with a clock of its own, start each occurrence once', async () => {
  await create({ cron: '*/10 * * * *', catchUp: 'all', overlap: 'allow' })
  const others = [handClock(START), handClock(START)]
  for (const one of [time, ...others]) one.pass(2 * HOUR)
  others[1]?.set(START + 2 * HOUR + 3_000)
  for (const one of [time, ...others]) open(one)
  await Promise.all([time, ...others].map((one) => one.slept()))
  const expected = Array.from({ length: 12 }, (_, n) => isoFromMs(START + (n + 1) * 10 * MINUTE))
  expect(await keys()).toEqual(expected)
})

it('a clock that jumps forward is a process that was down; one that is set back doubles nothing and does not stall', async () => {
  await create({ cron: '0 * * * *', catchUp: 'latest', overlap: 'allow' })
  open()
  await time.slept()
  time.set(START + 5 * HOUR + 20 * MINUTE)
  await time.slept()
  expect(await keys()).toEqual(hours(5, 5))
  // Back by four hours: 2 and 3 have not been yet, 5 has.
  time.set(START + HOUR + 20 * MINUTE)
  await time.slept()
  for (let minutes = 0; minutes < 5 * 60; minutes += 1) {
    time.pass(MINUTE)
    await time.slept()
  }
  expect(await keys()).toEqual(hours(2, 6))
})

it('jitter moves each occurrence by a time of its own, always the same, and keeps its request key', async () => {
  await create({ every: '1h', jitter: '10m', catchUp: 'none' })
  open()
  const fired: number[] = []
  for (let minute = 0, known = 0; minute < 180; minute += 1) {
    await time.slept()
    time.pass(MINUTE)
    await time.slept()
    const now = (await keys()).length
    if (now > known) fired.push(minute + 1)
    known = now
  }
  expect(await keys()).toEqual(hours(1, fired.length))
  expect(fired.map((minute, n) => minute - 60 * (n + 1)).every((late) => late >= 0 && late <= 10)).toBe(true)
})

it.each([
  ['allow', 3, 'RUNNING RUNNING RUNNING'],
  ['skip', 1, 'RUNNING'],
  ['queue', 1, 'RUNNING'],
  ['cancelOld', 3, 'CANCELLED CANCELLED RUNNING'],
] as const)(
  'overlap %s: of three occurrences with a run that goes on there are %i runs',
  async (overlap, count, states) => {
    await create({ planId: 'slow', every: '1m', overlap })
    open()
    for (let n = 0; n < 3; n += 1) {
      await time.slept()
      time.pass(MINUTE)
      await time.slept()
    }
    expect(await keys()).toHaveLength(count)
    const rows = async (): Promise<string> => {
      const found: string[] = []
      for await (const { runId, status } of onBehalf(keelson, PRINCIPAL).runs()) found.push(`${runId} ${status}`)
      return found
        .sort()
        .map((line) => line.split(' ')[1])
        .join(' ')
    }
    await expect.poll(rows).toBe(states)
    const { record } = await schedules.findSchedule(managing(), 'nightly')
    expect(record.recent.map(({ outcome }) => outcome)).toEqual(
      {
        allow: ['started', 'started', 'started'],
        skip: ['started', 'skipped', 'skipped'],
        queue: ['started'],
        cancelOld: ['started', 'started', 'started'],
      }[overlap],
    )
    expect(record.waiting).toHaveLength(overlap === 'queue' ? 2 : 0)
  },
)

it('queued occurrences follow one another as the runs before them end', async () => {
  await create({ planId: 'slow', every: '1m', overlap: 'queue' })
  open()
  for (let n = 0; n < 3; n += 1) {
    await time.slept()
    time.pass(MINUTE)
    await time.slept()
  }
  release()
  const minutes = [1, 2, 3].map((n) => isoFromMs(START + n * MINUTE))
  await expect
    .poll(async () => {
      time.pass(1_000)
      await time.slept()
      return keys()
    })
    .toEqual(minutes)
})

it('a limit that rejects starts rejects occurrences too: each is told, none piles up, and the next with room starts', async () => {
  await onBehalf(keelson, PRINCIPAL).limits.set({ name: 'plan:slow', maxRunning: 1, whenFull: 'REJECT' })
  await create({ planId: 'slow', every: '1m', overlap: 'allow' })
  open()
  const minute = async (): Promise<void> => {
    await time.slept()
    time.pass(MINUTE)
    await time.slept()
  }
  for (let n = 0; n < 5; n += 1) await minute()
  const told = async () => (await schedules.findSchedule(managing(), 'nightly')).record
  const full = { outcome: 'failed', code: 'RUN_LIMIT_REACHED' }
  expect((await told()).recent).toMatchObject([{ outcome: 'started' }, full, full, full, full])
  expect((await told()).waiting).toEqual([])
  release()
  const [first] = (await onBehalf(keelson, PRINCIPAL).list()).runs
  await (await onBehalf(keelson, PRINCIPAL).run(first?.runId ?? '')).result()
  await minute()
  expect((await told()).recent.at(-1)).toMatchObject({ outcome: 'started' })
  expect(await keys()).toEqual([1, 6].map((n) => isoFromMs(START + n * MINUTE)))
})

it('a backfill waits where a limit has no room, and leaves nothing out', async () => {
  await onBehalf(keelson, PRINCIPAL).limits.set({ name: 'plan:slow', maxRunning: 1, whenFull: 'REJECT' })
  await create({ planId: 'slow', cron: '0 * * * *', catchUp: 'none', overlap: 'allow' })
  const span = { from: START - 4 * HOUR, to: START - HOUR }
  await schedules.startBackfill(managing(), 'nightly', { backfillId: 'b', ...span, concurrency: 4 })
  open()
  const look = async (): Promise<void> => {
    await time.slept()
    time.pass(1_000)
    await time.slept()
  }
  for (let n = 0; n < 3; n += 1) await look()
  const backfill = async () => (await schedules.findSchedule(managing(), 'nightly')).record.backfills[0]
  expect(await backfill()).toMatchObject({ started: 1, failed: 0 })
  release()
  await expect
    .poll(async () => {
      await look()
      return backfill()
    })
    .toMatchObject({ started: 4, failed: 0, existed: 0, endedAt: expect.any(Number) })
  expect(await keys()).toEqual(hours(-4, -1))
})

it('what cannot be started is told with its code, and the next occurrence is tried all the same', async () => {
  await create({ planId: 'odd', every: '1m' })
  open()
  await time.slept()
  time.pass(MINUTE)
  await time.slept()
  const { record } = await schedules.findSchedule(managing(), 'nightly')
  expect(record.recent).toMatchObject([{ at: START + MINUTE, outcome: 'failed', code: 'NO_HANDLER' }])
})
