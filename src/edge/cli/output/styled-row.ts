/** A row as one line of text: columns aligned, cut to the width, coloured by how the step stands. */
import type { Paint } from '../terminal.ts'
import type { Mark, Row } from './picture.ts'

export const SYMBOLS: Readonly<Record<Mark, string>> = {
  done: '✔',
  running: '▸',
  failed: '✖',
  waiting: '·',
  skipped: '○',
  undone: '↩',
}

export function colourOf(paint: Paint, mark: Mark): (text: string) => string {
  if (mark === 'done') return paint.green
  if (mark === 'failed') return paint.red
  if (mark === 'running') return paint.cyan
  return mark === 'undone' ? paint.yellow : paint.dim
}

const NAME_MAX = 32
const TIME_WIDTH = 8

export function nameWidth(rows: readonly Row[]): number {
  return Math.min(NAME_MAX, Math.max(0, ...rows.map((row) => row.name.length)))
}

export function styledRow(row: Row, names: number, width: number, paint: Paint): string {
  const name = row.name.length > names ? `${row.name.slice(0, names - 1)}…` : row.name.padEnd(names)
  const left = `  ${SYMBOLS[row.mark]} ${name} ${row.time.padStart(TIME_WIDTH)}`
  const notes = row.notes.join('   ')
  const room = width - left.length - 4
  const shown = notes.length <= room ? notes : `${notes.slice(0, Math.max(0, room - 1))}…`
  const colour = colourOf(paint, row.mark)
  const quiet = row.mark === 'waiting' || row.mark === 'skipped'
  const body = quiet ? paint.dim(left.slice(4)) : left.slice(4)
  return `  ${colour(SYMBOLS[row.mark])} ${body}   ${row.mark === 'failed' ? paint.red(shown) : paint.dim(shown)}`.trimEnd()
}
