/**
 * `npm run bench`: runs every exported `bench…` function of test/bench/*.bench.ts one after another and prints their
 * rows as a table, or with `--json` as an array. Names given as arguments choose files (`npm run bench -- scale`). A row
 * that misses its limit fails the command.
 */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { BenchRow } from './row.ts'

type Bench = () => Promise<readonly BenchRow[]>

async function benchesIn(file: string): Promise<readonly Bench[]> {
  const exports = (await import(pathToFileURL(file).href)) as Record<string, unknown>
  return Object.entries(exports)
    .filter(([name, value]) => name.startsWith('bench') && typeof value === 'function')
    .map(([, value]) => value as Bench)
}

function cells(row: BenchRow): readonly string[] {
  const number = (value: number): string => value.toLocaleString('en', { maximumFractionDigits: 2 })
  return [
    row.ok ? '✔' : '✖',
    row.name,
    `${number(row.value)} ${row.unit}`,
    `baseline ${number(row.baseline)}`,
    `ratio ${number(row.ratio)}`,
    `${row.atMost === true ? 'at most' : 'floor'} ${number(row.floor)}`,
  ]
}

function table(rows: readonly BenchRow[]): string {
  const lines = rows.map(cells)
  const widths = lines.reduce<readonly number[]>(
    (widest, line) => line.map((cell, index) => Math.max(cell.length, widest[index] ?? 0)),
    [],
  )
  return lines
    .map((line) =>
      line
        .map((cell, index) => cell.padEnd(widths[index] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

async function main(args: readonly string[]): Promise<number> {
  const chosen = args.filter((arg) => !arg.startsWith('--'))
  const files = readdirSync(import.meta.dirname)
    .filter((name) => name.endsWith('.bench.ts'))
    .filter((name) => chosen.length === 0 || chosen.some((part) => name.includes(part)))
    .sort()
  const rows: BenchRow[] = []
  for (const file of files) {
    for (const bench of await benchesIn(join(import.meta.dirname, file))) rows.push(...(await bench()))
  }
  process.stdout.write(`${args.includes('--json') ? JSON.stringify(rows, undefined, 2) : table(rows)}\n`)
  return rows.every((row) => row.ok) ? 0 : 1
}

process.exitCode = await main(process.argv.slice(2))
