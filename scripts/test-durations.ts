/**
 * Writes down how long each long test file took in the last whole run (`npm test`), and what the files of a folder take on average, for those
 * that are newer: the next run begins with the longest.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join, relative, sep } from 'node:path'
import { ROOT } from './terminal.ts'
import { FULL_REPORT } from './test-report.ts'

/** Shorter ones fill the gaps in any order. */
const LONG_S = 5

interface TimedFile {
  readonly name: string
  readonly startTime: number
  readonly endTime: number
}

if (existsSync(FULL_REPORT)) {
  const { testResults } = JSON.parse(readFileSync(FULL_REPORT, 'utf8')) as {
    readonly testResults: readonly TimedFile[]
  }
  const files = testResults.map(
    ({ name, startTime, endTime }) =>
      [relative(ROOT, name).split(sep).join('/'), Math.round((endTime - startTime) / 1000)] as const,
  )
  const folders = averages(files)
  // A short one among long ones is named too: its folder would speak for it.
  const named = files.filter(([path, seconds]) => Math.max(seconds, folders.get(`${dirname(path)}/`) ?? 0) >= LONG_S)
  const long = [...named, ...folders].sort(([, one], [, other]) => other - one)
  const path = join(ROOT, 'test', 'setup', 'durations.json')
  writeFileSync(path, `${JSON.stringify(Object.fromEntries(long), null, 2)}\n`)
  process.stdout.write(`${named.length} test files are in ${relative(ROOT, path)}\n`)
} else {
  process.stderr.write('There is no report of a whole run: run `npm test` first.\n')
  process.exitCode = 1
}

function averages(files: readonly (readonly [path: string, seconds: number])[]): ReadonlyMap<string, number> {
  const byFolder = Map.groupBy(files, ([path]) => `${dirname(path)}/`)
  const average = (all: readonly (readonly [string, number])[]): number =>
    Math.round(all.reduce((sum, [, seconds]) => sum + seconds, 0) / all.length)
  const each = [...byFolder].map(([folder, all]) => [folder, average(all)] as const)
  return new Map(each.filter(([, seconds]) => seconds > 0))
}
