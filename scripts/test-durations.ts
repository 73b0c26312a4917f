/** Writes down how long each long test file took in the last whole run (`npm test`): the next run begins with the longest. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
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
  const long = testResults
    .map(({ name, startTime, endTime }) => [relative(ROOT, name), Math.round((endTime - startTime) / 1000)] as const)
    .filter(([, seconds]) => seconds >= LONG_S)
    .sort(([, one], [, other]) => other - one)
    .map(([path, seconds]) => [path.split(sep).join('/'), seconds])
  const path = join(ROOT, 'test', 'setup', 'durations.json')
  writeFileSync(path, `${JSON.stringify(Object.fromEntries(long), null, 2)}\n`)
  process.stdout.write(`${long.length} long test files are in ${relative(ROOT, path)}\n`)
} else {
  process.stderr.write('There is no report of a whole run: run `npm test` first.\n')
  process.exitCode = 1
}
