/** Compares the row of an archived run with the row in its bundle, which was written while its log still existed. */
import type { RunRow } from '../../ports/run-store.ts'
import { canonicalText } from '../log/canonical.ts'
import type { RowDifference } from '../sides/compare-row.ts'
import type { BundledRun } from '../log/run-bundle.ts'

/** What archiving itself changes, and what only one of the two rows has. */
const APART: ReadonlySet<string> = new Set([
  'runKey',
  'lease',
  'headHash',
  'version',
  'archivedAt',
  'archivedTo',
  // A process that read its end may have let go of it, or died, in between.
  'deaths',
  'doing',
  'diedDoing',
])

export function differingRow(row: RunRow, bundled: BundledRun): readonly RowDifference[] {
  const here = row as unknown as Readonly<Record<string, unknown>>
  const there = bundled as unknown as Readonly<Record<string, unknown>>
  const names = new Set([...Object.keys(here), ...Object.keys(there)].filter((name) => !APART.has(name)))
  return [...names]
    .map((name) => ({ name, row: told(here[name]), log: told(there[name]) }))
    .filter((one) => one.row !== one.log)
}

function told(value: unknown): string {
  return value === undefined ? 'nothing' : canonicalText(value)
}
