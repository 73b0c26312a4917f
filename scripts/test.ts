/**
 * `npm test`: runs the tests and ends with one plain line, `N passed, N failed, N skipped`. Arguments go to the
 * test runner: `npm test -- src/core`.
 */
import { rmSync } from 'node:fs'
import { temporalProgram } from '../test/setup/temporal.ts'
import { binaryOf, requireNode, runNode } from './terminal.ts'
import { FULL_REPORT, PARTIAL_REPORT, readReport, summaryLine } from './test-report.ts'

requireNode()
const args = process.argv.slice(2)
const isWhole = args.length === 0
const hasServers = !isWhole || obtainTemporal()
const reportPath = isWhole ? FULL_REPORT : PARTIAL_REPORT
rmSync(reportPath, { force: true })
const { code } = await runNode(
  binaryOf('vitest'),
  ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${reportPath}`, ...args],
  true,
)
const report = readReport(reportPath)
const isLacking = report === undefined || (!hasServers && process.env['CI'] === 'true')
const exitCode = isLacking && code === 0 ? 1 : code
process.stdout.write(`${summaryLine(report, exitCode)}\n`)
process.exitCode = exitCode

/** Once, before test files that run at the same time each build it; where it cannot be had, none of them tries again. */
function obtainTemporal(): boolean {
  try {
    temporalProgram()
    return true
  } catch {
    process.env['KEELSON_TEMPORAL_BIN'] ||= 'temporal, which could not be had before the tests began'
    return false
  }
}
