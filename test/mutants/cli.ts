/**
 * `npm run mutants [-- --json] [name …]`: plants each fault of the catalogue in a copy of the sources and prints who
 * caught it, or with `--json` the counts and the survivors by name. A survivor fails the command, and so does a copy
 * in which nothing was planted and something is reported.
 */
import { MUTANTS } from './catalogue.ts'
import { control, huntAll, type Verdict } from './run.ts'

function row({ name, file, caught, by, ms }: Verdict): readonly string[] {
  return [caught ? '✔' : '✖', name, file, `${ms} ms`, by.length > 100 ? `${by.slice(0, 99)}…` : by]
}

function table(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(row)
  const widths = rows.reduce<readonly number[]>(
    (widest, cells) => cells.map((cell, index) => Math.max(cell.length, widest[index] ?? 0)),
    [],
  )
  const line = (cells: readonly string[]): string =>
    cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join('  ')
  return rows.map((cells) => line(cells).trimEnd()).join('\n')
}

async function main(args: readonly string[]): Promise<number> {
  const names = args.filter((arg) => !arg.startsWith('--'))
  const chosen = MUTANTS.filter(({ name }) => names.length === 0 || names.some((part) => name.includes(part)))
  const wrong = await control(chosen)
  if (wrong !== undefined) {
    process.stderr.write(`nothing was planted, and still: ${wrong}\n`)
    return 1
  }
  const verdicts = await huntAll(chosen)
  const survivors = verdicts.filter(({ caught }) => !caught).map(({ name }) => name)
  const report = {
    planted: verdicts.length,
    caught: verdicts.length - survivors.length,
    survived: survivors.length,
    survivors,
  }
  if (args.includes('--json')) process.stdout.write(`${JSON.stringify(report)}\n`)
  else process.stdout.write(`${table(verdicts)}\n${report.caught} of ${report.planted} planted faults caught\n`)
  return survivors.length === 0 ? 0 : 1
}

process.exitCode = await main(process.argv.slice(2))
