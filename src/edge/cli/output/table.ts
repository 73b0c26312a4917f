/** Rows under a heading, columns as wide as their content, nothing drawn round them. */
import type { Terminal } from '../terminal.ts'

export function printTable(terminal: Terminal, heading: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = heading.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (column === cells.length - 1 ? cell : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd()
  terminal.line(terminal.paint.dim(line(heading)))
  for (const row of rows) terminal.line(line(row))
}
