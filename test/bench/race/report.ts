/**
 * The race as tables for people: who ran in which version; a line per figure, a column per contender; what fell into the windows in which
 * times were taken; then the targets.
 */
import { FIGURES, isOwn, median, type Laps, type RaceRow } from './figures.ts'
import type { Happenings } from './happenings.ts'
import { LAP_WINDOWS, type LapWindow } from './lap.ts'
import type { Judged } from './targets.ts'

interface Race {
  readonly versions: Readonly<Record<string, string>>
  readonly rows: readonly RaceRow[]
  readonly laps: Laps
  readonly judged: readonly Judged[]
}

const WINDOWS: Readonly<Record<LapWindow, string>> = { a: '(a)', d: '(d)', b: '(b)', beside: '(d) beside a chain' }
const HAPPENINGS: Readonly<Record<keyof Happenings, string>> = {
  checkpoints: 'checkpoints',
  snapshots: 'snapshots',
  autovacuums: 'autovacuums',
  collections: 'collections',
  longestCollectionMs: 'longest, ms',
}

export function tableOf({ versions, rows, laps, judged }: Race): string {
  const ran = Object.entries(versions).map(([name, version]) => `${name} ${version}`)
  return `${ran.join(', ')}\n\n${figuresOf(rows)}\n\n${happeningsOf(laps)}\n\n${targetsOf(judged)}\n`
}

function figuresOf(rows: readonly RaceRow[]): string {
  const contenders = [...new Set(rows.map(({ contender }) => contender))]
  const own = contenders.filter(isOwn)
  const head = ['', ...contenders, ...own.flatMap((one) => [`${one} ÷ best peer`, `${one} ÷ bare`])]
  const lines = FIGURES.map(({ key, name, unit }) => {
    const line = rows.filter(({ figure }) => figure === key)
    const ratios = line.flatMap(({ contender, timesBetter, timesBare }) =>
      isOwn(contender) ? [ratio(timesBetter), ratio(timesBare)] : [],
    )
    return [`${name}, ${unit}`, ...line.map(({ value }) => number(value)), ...ratios]
  })
  return aligned([head, ...lines])
}

/** Medians of the rounds, as the figures are. */
function happeningsOf(laps: Laps): string {
  const kinds = Object.keys(HAPPENINGS) as (keyof Happenings)[]
  const head = ['in the window of', '', ...kinds.map((kind) => HAPPENINGS[kind])]
  const lines = [...laps].flatMap(([contender, own]) =>
    LAP_WINDOWS.map((window) => [
      WINDOWS[window],
      contender,
      ...kinds.map((kind) => number(median(own.map(({ during }) => during[window][kind])))),
    ]),
  )
  return aligned([head, ...lines])
}

function targetsOf(judged: readonly Judged[]): string {
  const targets = judged.map((one) => [
    one.met ? '✔' : '✖',
    one.contender,
    FIGURES.find(({ key }) => key === one.figure)?.name ?? one.figure,
    one.times === undefined ? `wanted ${number(one.wanted ?? 0)}` : `wanted ${one.times}× ${one.peer ?? ''}`,
    one.times === undefined ? `got ${number(one.got)}` : `got ${ratio(one.got)}`,
  ])
  return aligned(targets)
}

function ratio(times: number | undefined): string {
  return times === undefined ? '–' : `${number(times)}×`
}

function number(value: number): string {
  if (Number.isNaN(value)) return 'not known'
  return value.toLocaleString('en', { maximumSignificantDigits: 3 })
}

function aligned(lines: readonly (readonly string[])[]): string {
  const widths = lines.reduce<readonly number[]>(
    (widest, line) => line.map((cell, index) => Math.max(cell.length, widest[index] ?? 0)),
    [],
  )
  const row = (line: readonly string[]): string => line.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ')
  return lines.map((line) => row(line).trimEnd()).join('\n')
}
