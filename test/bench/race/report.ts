/** The race as a table for people: a line per figure, a column per contender, then the targets. */
import { FIGURES, isPeer, type RaceRow } from './figures.ts'
import type { Judged } from './targets.ts'

export function tableOf(rows: readonly RaceRow[], judged: readonly Judged[]): string {
  const contenders = [...new Set(rows.map(({ contender }) => contender))]
  const head = ['', ...contenders, ...contenders.filter((one) => !isPeer(one)).map((one) => `${one} ÷ best peer`)]
  const lines = FIGURES.map(({ key, name, unit }) => {
    const own = rows.filter(({ figure }) => figure === key)
    const ratios = own.filter(({ contender }) => !isPeer(contender)).map(({ timesBetter: times }) => ratio(times))
    return [`${name}, ${unit}`, ...own.map(({ value }) => number(value)), ...ratios]
  })
  const targets = judged.map((one) => [
    one.met ? '✔' : '✖',
    one.contender,
    FIGURES.find(({ key }) => key === one.figure)?.name ?? one.figure,
    one.times === undefined ? `wanted ${number(one.wanted ?? 0)}` : `wanted ${one.times}× ${one.peer ?? ''}`,
    one.times === undefined ? `got ${number(one.got)}` : `got ${ratio(one.got)}`,
  ])
  return `${aligned([head, ...lines])}\n\n${aligned(targets)}\n`
}

function ratio(times: number | undefined): string {
  return times === undefined ? '–' : `${number(times)}×`
}

function number(value: number): string {
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
