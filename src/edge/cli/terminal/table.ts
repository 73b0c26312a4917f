/**
 * Rows under a heading, columns as wide as their content, without borders. On a terminal no line is wider than it: the
 * last columns give way first, and what does not fit at all is cut.
 */
import { greatest } from '../../../core/collections/extremes.ts'
import { shown } from './format.ts'
import type { Terminal } from './terminal.ts'

/** A row of one cell is a line of its own. */
export function printTable(terminal: Terminal, heading: readonly string[], rows: readonly (readonly string[])[]): void {
  const cells = rows.filter((row) => row.length > 1)
  const widths = heading.map((title, column) =>
    greatest(
      cells.map((row) => row[column]?.length ?? 0),
      title.length,
    ),
  )
  const line = (row: readonly string[]): string =>
    shown(
      row
        .map((cell, column) => (column === row.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
      terminal.isTty ? terminal.columns : Infinity,
    )
  terminal.line(terminal.paint.dim(line(heading)))
  for (const row of rows) terminal.line(line(row))
}
