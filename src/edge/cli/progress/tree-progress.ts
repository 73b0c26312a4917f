/**
 * A run as a picture redrawn in place. It never takes more lines than the terminal has, and the output of step
 * functions appears above it, whole.
 */
import { appendAll } from '../../../core/collections/append-all.ts'
import type { RunWatch } from './run-watch.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { wrapped } from '../terminal/flow.ts'
import { plural, shown } from '../terminal/format.ts'
import { rowsOf, type Mark, type Row } from './picture.ts'
import type { Progress } from './progress.ts'
import { standing } from './standing.ts'
import { nameWidth, styledRow } from './styled-row.ts'

/** Lines of the screen that the picture leaves free. */
const FREE_LINES = 4

export function treeProgress(terminal: Terminal, hint: string): Progress {
  let watched: RunWatch | undefined
  let drawn = 0
  let note = ''
  const erase = (): string => {
    const text = drawn === 0 ? '' : terminal.screen.clearFrom(drawn)
    drawn = 0
    return text
  }
  const draw = (last: boolean): void => {
    if (watched === undefined) return
    const lines = picture(terminal, watched, last)
    const footer = note === '' ? hint : note
    if (!last) appendAll(lines, footerLines(terminal, footer))
    terminal.write(erase())
    for (const line of lines) terminal.line(line)
    drawn = last ? 0 : lines.length
  }
  const release = terminal.catchOthers((text) => {
    terminal.write(erase())
    terminal.othersText(text.endsWith('\n') ? text : `${text}\n`, 'stdout')
    draw(false)
  })
  terminal.write(terminal.screen.hideCursor)
  return {
    begin: (watch, header) => {
      watched = watch
      for (const line of header) terminal.line(line)
      terminal.line()
      draw(false)
    },
    update: () => draw(false),
    note: (text) => {
      note = text
      draw(false)
    },
    tick: () => draw(false),
    end: () => {
      draw(true)
      release()
      terminal.write(terminal.screen.showCursor)
    },
  }
}

/** At the right where there is room; a line that the terminal wrapped would not be erased. */
function footerLines(terminal: Terminal, text: string): readonly string[] {
  const width = Math.max(1, terminal.columns - 1)
  const padded = text.length <= width ? [text.padStart(Math.min(width, 92))] : wrapped(text, width)
  return padded.map((line) => terminal.paint.dim(shown(line, width)))
}

function picture(terminal: Terminal, watch: RunWatch, last: boolean): string[] {
  const now = Date.now()
  const rows = rowsOf(watch, now)
  const chosen = fit(rows, Math.max(3, terminal.rows - FREE_LINES))
  const names = nameWidth(chosen.rows, terminal.columns)
  const lines = chosen.rows.map((row) => styledRow(row, names, terminal.columns, terminal.paint))
  if (chosen.left.length > 0) lines.push(terminal.paint.dim(`    … ${countText(chosen.left)}`))
  if (!last) appendAll(lines, standing(terminal, watch, now))
  return lines
}

const URGENCY: readonly Mark[] = ['failed', 'running', 'undone', 'waiting', 'done', 'skipped']

/** When there are too many rows: first what moves or failed, then what comes next and what was done last. */
function fit(rows: readonly Row[], room: number): { readonly rows: readonly Row[]; readonly left: readonly Row[] } {
  if (rows.length <= room) return { rows, left: [] }
  const nearness = ({ row, index }: Ranked): number => (row.mark === 'done' || row.mark === 'skipped' ? -index : index)
  const ranked: readonly Ranked[] = rows
    .map((row, index) => ({ row, index }))
    .sort((a, b) => URGENCY.indexOf(a.row.mark) - URGENCY.indexOf(b.row.mark) || nearness(a) - nearness(b))
  const kept = ranked.slice(0, room - 1).sort((a, b) => a.index - b.index)
  return { rows: kept.map(({ row }) => row), left: ranked.slice(room - 1).map(({ row }) => row) }
}

interface Ranked {
  readonly row: Row
  readonly index: number
}

function countText(rows: readonly Row[]): string {
  const counts = new Map<Mark, number>()
  for (const { mark } of rows) counts.set(mark, (counts.get(mark) ?? 0) + 1)
  return `${plural(rows.length, 'more step')}: ${[...counts].map(([mark, count]) => `${count} ${mark}`).join(', ')}`
}
