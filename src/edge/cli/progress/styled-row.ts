/** A row as one line of text: columns aligned, cut to the width, coloured by the step's state. */
import { greatest } from '../../../core/collections/extremes.ts'
import { cutMiddle } from '../terminal/format.ts'
import type { Paint } from '../terminal/paint.ts'
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
const NARROW = 60

/** The notes beside it need the larger part of a narrow terminal. */
export function nameWidth(rows: readonly Row[], columns: number): number {
  const most = Math.max(8, Math.min(NAME_MAX, Math.floor(columns / 3)))
  return Math.min(
    most,
    greatest(
      rows.map((row) => row.name.length),
      0,
    ),
  )
}

export function styledRow(row: Row, names: number, width: number, paint: Paint): string {
  const name = cutMiddle(row.name, names).padEnd(names)
  const left = `  ${SYMBOLS[row.mark]} ${name} ${row.time.padStart(TIME_WIDTH)}`
  const notes = row.notes.join('   ')
  const gap = width < NARROW ? '  ' : '   '
  const room = width - left.length - gap.length - 1
  const shown = notes.length <= room ? notes : `${notes.slice(0, Math.max(0, room - 1))}…`
  const colour = colourOf(paint, row.mark)
  const quiet = row.mark === 'waiting' || row.mark === 'skipped'
  const body = quiet ? paint.dim(left.slice(4)) : left.slice(4)
  return `  ${colour(SYMBOLS[row.mark])} ${body}${gap}${row.mark === 'failed' ? paint.red(shown) : paint.dim(shown)}`.trimEnd()
}
