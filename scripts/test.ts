/**
 * `npm test`: runs the tests and ends with one plain line, `N passed, N failed, N skipped`. Arguments go to the
 * test runner: `npm test -- src/core`.
 */
import { rmSync } from 'node:fs'
import { binaryOf, requireNode, runNode } from './terminal.ts'
import { FULL_REPORT, PARTIAL_REPORT, readReport, summaryLine } from './test-report.ts'

requireNode()
const args = process.argv.slice(2)
const reportPath = args.length === 0 ? FULL_REPORT : PARTIAL_REPORT
rmSync(reportPath, { force: true })
const { code } = await runNode(
  binaryOf('vitest'),
  ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${reportPath}`, ...args],
  true,
)
const report = readReport(reportPath)
const exitCode = report === undefined && code === 0 ? 1 : code
process.stdout.write(`${summaryLine(report, exitCode)}\n`)
process.exitCode = exitCode
