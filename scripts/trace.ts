/**
 * `npm run trace`: which requirements a passing test proves, which are deferred and why, which are missing. It reads
 * the last whole test report, and runs all tests first when that report is missing or older than the sources. With
 * `--from-report` it runs nothing: it reads the report as it is, and says how old it is.
 */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { filesUnder, textOf } from './repository.ts'
import { readIds } from './requirement-ids.ts'
import { idsNamedByTests } from './spec-page.ts'
import { requireNode, ROOT, runNode } from './terminal.ts'
import { FULL_REPORT, readReport, type TestReport } from './test-report.ts'
import { waitingProofs } from './waiting-proofs.ts'
import { traceReport, type AreaTrace, type Deferred, type Trace } from './trace-report.ts'

function newestSource(): number {
  const paths = ['src', 'test', 'examples', 'scripts'].flatMap((folder) => filesUnder(folder))
  return Math.max(...paths.map((path) => statSync(join(ROOT, path)).mtimeMs))
}

const tell = (line: string): void => void process.stderr.write(`${line}\n`)

async function currentReport(asItIs: boolean): Promise<TestReport | undefined> {
  const report = readReport(FULL_REPORT)
  if (report !== undefined && report.startedAt >= newestSource()) return report
  if (asItIs) {
    if (report === undefined) tell('There is no report of a whole run: `npm test` writes one.')
    else tell(`The report of ${new Date(report.startedAt).toISOString()} is older than the sources.`)
    return report
  }
  tell(
    `${report === undefined ? 'There is no test report yet' : 'The test report is older than the sources'}, so all tests run first. ` +
      'That takes 10 to 20 minutes on a machine with two cores; `npm run trace -- --from-report` reads the last report as it is.',
  )
  const { output } = await runNode(join(ROOT, 'scripts', 'test.ts'), [], false)
  tell(output.trimEnd().split('\n').at(-1) ?? '')
  return readReport(FULL_REPORT)
}

function table(areas: Trace['areas']): string {
  const lines = Object.entries(areas).map(([area, trace]) => {
    const deferred = Object.keys(trace.deferred).length
    const parts = [`${area.padEnd(4)} ${String(trace.covered).padStart(3)} of ${String(trace.total).padStart(3)}`]
    if (deferred > 0) parts.push(`${deferred} deferred`)
    if (trace.missing.length > 0) parts.push(`missing ${trace.missing.join(' ')}`)
    return parts.join('  ')
  })
  const sum = (pick: (trace: AreaTrace) => number): number =>
    Object.values(areas).reduce((total, trace) => total + pick(trace), 0)
  return [...lines, `all  ${sum((trace) => trace.covered)} of ${sum((trace) => trace.total)}`].join('\n')
}

async function main(args: readonly string[]): Promise<number> {
  requireNode()
  const report = await currentReport(args.includes('--from-report'))
  if (report === undefined) {
    tell('Without a report nothing can be traced.')
    return 1
  }
  const deferred = JSON.parse(textOf('test/trace/deferred.json')) as Deferred
  const trace = traceReport(report, readIds(), deferred, waitingProofs())
  process.stdout.write(
    args.includes('--json') ? `${JSON.stringify(trace.areas, undefined, 2)}\n` : `${table(trace.areas)}\n`,
  )
  const inSources = idsNamedByTests()
  const hidden = trace.named.filter((id) => !inSources.has(id))
  const errors = [...trace.errors, ...hidden.map((id) => `${id} is in no title that can be read from the sources`)]
  for (const error of errors) tell(`✖ ${error}`)
  return errors.length === 0 ? 0 : 1
}

process.exitCode = await main(process.argv.slice(2))
