/** Occurrences where clocks are set: exact instants in three zones, and random lines held against a walk through every minute. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { offsetOf } from '../../src/app/schedules/zones.ts'
import { parseCron } from '../../src/core/schedule/cron.ts'
import { newestWithin, occurrencesWithin, type ZoneOffset } from '../../src/core/schedule/occurrences.ts'
import { isoFromMs, msFromIso } from '../../src/core/time.ts'
import { unwrap } from '../../src/core/result.ts'
import { SEED } from '../setup/seed.ts'

const MINUTE = 60_000
const DAY = 1_440 * MINUTE

function zone(name: string): ZoneOffset {
  const found = offsetOf(name)
  if (found === undefined) throw new Error(`no zone ${name}`)
  return found
}

function ms(iso: string): number {
  return msFromIso(iso) ?? Number.NaN
}

function within(cron: string, name: string, from: string, to: string): readonly string[] {
  const rhythm = { cron: unwrap(parseCron(cron)), offset: zone(name) }
  return occurrencesWithin(rhythm, ms(from), ms(to), 1_000).map(isoFromMs)
}

describe.each([
  // Skipped: 02:00 to 03:00 on 29 March; doubled: 02:00 to 03:00 on 25 October.
  ['Europe/Berlin', '30 2 * * *', '2026-03-28', ['03-28T01:30', '03-29T01:00', '03-30T00:30']],
  ['Europe/Berlin', '30 2 * * *', '2026-10-24', ['10-24T00:30', '10-25T00:30', '10-26T01:30']],
  // Skipped: 02:00 to 03:00 on 8 March; doubled: 01:00 to 02:00 on 1 November.
  ['America/New_York', '15 2 * * *', '2026-03-07', ['03-07T07:15', '03-08T07:00', '03-09T06:15']],
  ['America/New_York', '15 1 * * *', '2026-10-31', ['10-31T05:15', '11-01T05:15', '11-02T06:15']],
  // Half an hour, in the south: skipped 02:00 to 02:30 on 4 October; doubled 01:30 to 02:00 on 5 April.
  ['Australia/Lord_Howe', '10 2 * * *', '2026-10-03', ['10-03T15:30', '10-04T15:10', '10-05T15:10']],
  ['Australia/Lord_Howe', '45 1 * * *', '2026-04-04', ['04-04T14:45', '04-05T15:15', '04-06T15:15']],
])('%s', (name, cron, from, expected) => {
  it(`${cron} from ${from}: a skipped time comes at the next valid instant, a doubled one once`, () => {
    const start = isoFromMs(ms(`${from}T00:00:00Z`))
    expect(within(cron, name, start, isoFromMs(ms(start) + 2 * DAY + 20 * 60 * MINUTE)).slice(0, 3)).toEqual(
      expected.map((at) => `2026-${at}:00.000Z`),
    )
  })
})

it('many times of a skipped hour come once, and those of a doubled hour once each', () => {
  expect(within('*/15 2 * * *', 'Europe/Berlin', '2026-03-29T00:00:00Z', '2026-03-29T12:00:00Z')).toEqual([
    '2026-03-29T01:00:00.000Z',
  ])
  expect(within('*/30 2 * * *', 'Europe/Berlin', '2026-10-24T22:00:00Z', '2026-10-25T12:00:00Z')).toEqual([
    '2026-10-25T00:00:00.000Z',
    '2026-10-25T00:30:00.000Z',
  ])
})

it('29 February comes every fourth year, and a day that does not exist that year is left out', () => {
  expect(within('0 12 29 2 *', 'UTC', '2026-01-01T00:00:00Z', '2033-01-01T00:00:00Z')).toEqual([
    '2028-02-29T12:00:00.000Z',
    '2032-02-29T12:00:00.000Z',
  ])
})

/** What the clocks show, minute by minute. */
function oracle(line: string, offset: ZoneOffset, from: number, to: number): readonly number[] {
  const [minutes, hours, days, months, weekdays] = line.split(' ')
  const fits = (field: string | undefined, value: number): boolean =>
    field === '*' || (field ?? '').split(',').some((one) => Number(one) === value)
  const wanted = (local: number): boolean => {
    const iso = isoFromMs(local)
    const isDate = fits(days, Number(iso.slice(8, 10)))
    const isWeekday = fits(weekdays, new Date(local).getUTCDay())
    const isDay = days !== '*' && weekdays !== '*' ? isDate || isWeekday : isDate && isWeekday
    const isTime = fits(minutes, Number(iso.slice(14, 16))) && fits(hours, Number(iso.slice(11, 13)))
    return isTime && isDay && fits(months, Number(iso.slice(5, 7)))
  }
  const found = new Set<number>()
  let shown = from - 2 * DAY + offset(from - 2 * DAY) - MINUTE
  for (let at = from - 2 * DAY; at <= to; at += MINUTE) {
    const local = at + offset(at)
    // Every minute that the clocks pass or jump over for the first time.
    for (let passed = shown + MINUTE; passed <= local; passed += MINUTE) if (wanted(passed)) found.add(at)
    shown = Math.max(shown, local)
  }
  return [...found].filter((at) => at > from && at <= to)
}

const numbers = (min: number, max: number): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constant('*'),
    fc.uniqueArray(fc.integer({ min, max }), { minLength: 1, maxLength: 3 }).map((list) => list.join(',')),
  )

it(`random lines in random zones give what a walk through every minute gives, and no instant twice (seed ${SEED})`, () => {
  const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe', 'Africa/Casablanca', 'Asia/Kolkata']
  fc.assert(
    fc.property(
      fc.tuple(numbers(0, 59), numbers(0, 4), numbers(1, 31), numbers(1, 12), numbers(0, 6)),
      fc.constantFrom(...zones),
      fc.constantFrom('2026-03-07', '2026-03-28', '2026-10-03', '2026-10-24', '2026-11-01', '2026-04-04', '2028-02-28'),
      (fields, name, day) => {
        const line = fields.join(' ')
        const parsed = parseCron(line)
        if (!parsed.ok) return
        const [from, offset] = [ms(`${day}T00:00:00Z`), zone(name)]
        const to = from + 3 * DAY
        const rhythm = { cron: parsed.value, offset }
        const found = occurrencesWithin(rhythm, from, to, 100_000)
        expect({ line, name, found: found.map(isoFromMs) }).toEqual({
          line,
          name,
          found: oracle(line, offset, from, to).map(isoFromMs),
        })
        for (const limit of [1, 7]) expect(newestWithin(rhythm, from, to, limit)).toEqual(found.slice(-limit))
      },
    ),
    { seed: SEED, numRuns: 60 },
  )
})

it.each([
  ['* * * *', "'* * * *' has 4 fields; minute, hour, day, month and weekday are five"],
  ['60 * * * *', "'60' is no minute: 0 to 59"],
  ['0 0 31 2 *', "'0 0 31 2 *' never comes"],
  ['*/0 * * * *', "'*/0' is no minute: 0 to 59"],
  ['0 5-2 * * *', "'5-2' is no hour: 0 to 23"],
  ['0 0 * * mond', "'mond' is no day of week: 0 to 7"],
])('%s is refused with its reason', (line, message) => {
  const parsed = parseCron(line)
  expect(parsed.ok ? [] : parsed.problems.map((one) => one.message)).toEqual([message])
})

it('names, ranges, steps and words mean what every cron means by them', () => {
  const span = ['UTC', '2026-06-05T12:00:00Z', '2026-06-09T12:00:00Z'] as const
  expect(within('0 9-17/4 * * mon-fri', ...span)).toEqual(
    ['05T13', '05T17', '08T09', '08T13', '08T17', '09T09'].map((at) => `2026-06-${at}:00:00.000Z`),
  )
  expect(within('@weekly', ...span)).toEqual(within('0 0 * * 7', ...span))
  expect(within('@daily', ...span)).toHaveLength(4)
  // Either kind of day.
  expect(within('0 0 7 * tue', ...span)).toEqual(['2026-06-07T00:00:00.000Z', '2026-06-09T00:00:00.000Z'])
})
