/** `keelson schedules`: runs that start by the clock of a server. Any process may change them; `keelson serve` and `keelson dev` start them. */
import { randomUUID } from 'node:crypto'
import { CATCH_UPS } from '../../../core/schedule/owed.ts'
import { sayWhen } from '../../../core/schedule/say-when.ts'
import { OVERLAPS } from '../../../core/schedule/definition.ts'
import { didYouMean } from '../../../core/did-you-mean.ts'
import { LIMITS } from '../../../core/limits.ts'
import { fail } from '../../../core/problems/problem.ts'
import { isoFromMs } from '../../../core/time.ts'
import { readInput } from '../files/run-input.ts'
import { openSchedules, type ScheduleCalls, type ShownSchedule } from '../open/schedules.ts'
import type { Call, Options } from '../terminal/command.ts'
import { EXIT } from '../terminal/exit-codes.ts'
import { plural } from '../terminal/format.ts'
import { instantOf } from '../terminal/instant.ts'
import { printTable } from '../terminal/table.ts'

async function withSchedules(options: Options, act: (calls: ScheduleCalls) => Promise<void>): Promise<number> {
  const calls = await openSchedules(options, randomUUID)
  try {
    await act(calls)
    return EXIT.completed
  } finally {
    await calls.close()
  }
}

export async function listSchedules({ options, terminal }: Call): Promise<number> {
  return withSchedules(options, async (calls) => {
    const found = await calls.list()
    if (options.json) for (const one of found) terminal.json(one)
    else if (found.length === 0) terminal.line('there are no schedules')
    else printTable(terminal, ['SCHEDULE', 'PLAN', 'WHEN', 'NEXT', 'OVERLAP', 'CATCH UP'], found.map(cells))
  })
}

function cells(one: ShownSchedule): readonly string[] {
  const { scheduleId, planId, planVersion = '', overlap = '', catchUp = '' } = one
  return [scheduleId, `${planId} ${planVersion}`.trim(), whenOf(one), nextText(one), overlap, catchUp]
}

function whenOf({ cron, every, zone = 'UTC' }: ShownSchedule): string {
  return every === undefined ? `${cron ?? ''} ${zone}` : `every ${every}`
}

function nextText({ paused, pausedUntil, pausedBy, pauseReason, nextAt }: ShownSchedule): string {
  if (!paused) return nextAt ?? 'never'
  const until = pausedUntil === undefined ? 'paused' : `paused until ${pausedUntil}`
  const by = pausedBy === undefined ? until : `${until} by ${pausedBy}`
  return pauseReason === undefined ? by : `${by}: ${pauseReason}`
}

export async function showSchedule({ args, options, terminal }: Call): Promise<number> {
  return withSchedules(options, async (calls) => {
    const whole = await calls.get(args[0] ?? '')
    if (options.json) return terminal.json(whole)
    const { schedule, last, next, backfills } = whole
    terminal.line(`${terminal.paint.bold(schedule.scheduleId)}   ${schedule.planId}, ${whenOf(schedule)}`)
    terminal.line(`  when      ${sayWhen(schedule)}`)
    terminal.line(`  next      ${nextText(schedule)}`)
    for (const at of next.slice(1)) terminal.line(`            ${at}`)
    for (const { at, outcome, executionId = '', code = '', reason = '' } of last)
      terminal.line(`  ${outcome.padEnd(9)} ${[at, executionId, code, reason].filter(Boolean).join('   ')}`)
    for (const { from, to, started, existed, failed, running, endedAt } of backfills)
      terminal.line(
        `  backfill  ${from} to ${to}: ${started} started, ${existed} had run, ${failed} failed, ${running.length} running${endedAt === undefined ? '' : ', ended'}`,
      )
  })
}

function oneOfThese<const T extends string>(
  option: string,
  given: string | undefined,
  words: readonly T[],
): T | undefined {
  if (given === undefined) return undefined
  const found = words.find((word) => word === given)
  return found ?? fail('USAGE', `${option} is one of ${words.join(', ')}, not '${given}'`, didYouMean(given, words))
}

function wholeNumber(option: string, given: string | undefined, max: number): number | undefined {
  if (given === undefined) return undefined
  const value = /^[1-9][0-9]{0,6}$/.test(given) ? Number(given) : Infinity
  return value <= max ? value : fail('USAGE', `${option} is a whole number from 1 to ${max}, not '${given}'`)
}

export async function createSchedule({ args, options, terminal }: Call): Promise<number> {
  const [scheduleId = '', planId = ''] = args
  const text = (name: string): string | undefined => options.text(name)
  const asked = {
    planVersion: text('version'),
    cron: text('cron'),
    every: text('every'),
    zone: text('zone'),
    input: readInput(text('input'), options.list('set')),
    overlap: oneOfThese('--overlap', text('overlap'), OVERLAPS),
    catchUp: oneOfThese('--catch-up', text('catchUp'), CATCH_UPS),
    catchUpMax: wholeNumber('--catch-up-max', text('catchUpMax'), LIMITS.scheduleCatchUp),
    jitter: text('jitter'),
  }
  const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)) as typeof asked
  return withSchedules(options, async (calls) =>
    tell(terminal, options, await calls.create({ scheduleId, planId, ...(given as object) })),
  )
}

function tell(terminal: Call['terminal'], options: Options, made: ShownSchedule): void {
  if (options.json) terminal.json(made)
  else terminal.line(`${made.scheduleId} starts ${made.planId}, ${whenOf(made)}; next: ${nextText(made)}`)
}

export async function pauseSchedule({ args, options, terminal }: Call): Promise<number> {
  const until = options.text('until')
  const reason = options.text('reason')
  const pause = {
    ...(until === undefined ? {} : { until: isoFromMs(instantOf(until, '--until', Date.now(), true)) }),
    ...(reason === undefined ? {} : { reason }),
  }
  return withSchedules(options, async (calls) => tell(terminal, options, await calls.pause(args[0] ?? '', pause)))
}

export async function resumeSchedule({ args, options, terminal }: Call): Promise<number> {
  return withSchedules(options, async (calls) => tell(terminal, options, await calls.resume(args[0] ?? '')))
}

export async function deleteSchedule({ args, options, terminal }: Call): Promise<number> {
  const [scheduleId = ''] = args
  return withSchedules(options, async (calls) => {
    await calls.remove(scheduleId)
    if (options.json) terminal.json({ scheduleId, deleted: true })
    else terminal.line(`${scheduleId} is gone; runs that it started go on`)
  })
}

const AT_ONCE = 1

/** Without `--yes` it only counts. */
export async function backfillSchedule({ args, options, terminal }: Call): Promise<number> {
  const [scheduleId = ''] = args
  const now = Date.now()
  const bound = (name: 'from' | 'to'): string => {
    const text = options.text(name) ?? fail('USAGE', `--${name} is missing: an age, a day or an instant`)
    return isoFromMs(instantOf(text, `--${name}`, now))
  }
  const span = { from: bound('from'), to: bound('to') }
  const concurrency = wholeNumber('--concurrency', options.text('concurrency'), LIMITS.scheduleBackfillRuns) ?? AT_ONCE
  return withSchedules(options, async (calls) => {
    if (!options.flag('yes')) {
      const { occurrences, existed, first } = await calls.preview(scheduleId, span)
      if (options.json) return terminal.json({ scheduleId, ...span, occurrences, existed, first })
      terminal.line(`${plural(occurrences, 'occurrence')}, ${existed} of them ran already; start it with --yes`)
      return first.forEach((at) => terminal.line(`  ${at}`))
    }
    const begun = await calls.backfill(scheduleId, span, concurrency)
    if (options.json) return terminal.json({ scheduleId, ...begun })
    return terminal.line(
      `${plural(begun.occurrences, 'occurrence')}, ${concurrency} at once: keelson schedules show ${scheduleId}`,
    )
  })
}
