/**
 * Reads the test runner's JSON report. The counts and the traced ids come from here and nowhere else, so what is
 * printed is what ran.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join, relative, sep } from 'node:path'
import { ROOT } from './terminal.ts'

export const FULL_REPORT = join(ROOT, '.cache', 'test-report.json')
/** A run of chosen files must not pass for the whole: it reports elsewhere. */
export const PARTIAL_REPORT = join(ROOT, '.cache', 'test-report-partial.json')

export interface TestOutcome {
  readonly title: string
  readonly status: 'passed' | 'failed' | 'skipped'
  /** Its file, from the root of the repository. */
  readonly path: string
}

export interface TestReport {
  readonly outcomes: readonly TestOutcome[]
  /** Files that could not even be loaded. */
  readonly brokenFiles: number
  readonly startedAt: number
}

interface RawAssertion {
  readonly title: string
  readonly status: string
}
interface RawReport {
  readonly startTime: number
  readonly testResults: readonly {
    readonly name: string
    readonly status: string
    readonly assertionResults: readonly RawAssertion[]
  }[]
}

function statusOf(raw: string): TestOutcome['status'] {
  return raw === 'passed' || raw === 'failed' ? raw : 'skipped'
}

export function readReport(path: string): TestReport | undefined {
  if (!existsSync(path)) return undefined
  const raw = JSON.parse(readFileSync(path, 'utf8')) as RawReport
  const outcomes = raw.testResults.flatMap((file) =>
    file.assertionResults.map((test) => ({
      title: test.title,
      status: statusOf(test.status),
      path: relative(ROOT, file.name).split(sep).join('/'),
    })),
  )
  const brokenFiles = raw.testResults.filter(
    (file) => file.status === 'failed' && file.assertionResults.every((test) => test.status !== 'failed'),
  ).length
  return { outcomes, brokenFiles, startedAt: raw.startTime }
}

/** The plain last line. A runner that failed without a failed test (a crash, an unhandled error) counts as one. */
export function summaryLine(report: TestReport | undefined, exitCode: number): string {
  const count = (status: TestOutcome['status']): number =>
    report?.outcomes.filter((outcome) => outcome.status === status).length ?? 0
  const failed = count('failed') + (report?.brokenFiles ?? 0)
  const shown = failed === 0 && exitCode !== 0 ? 1 : failed
  return `${count('passed')} passed, ${shown} failed, ${count('skipped')} skipped`
}
