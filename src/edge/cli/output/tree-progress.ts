/**
 * A run as a picture redrawn in place. It never takes more lines than the terminal has, and what step functions print
 * themselves appears above it, whole.
 */
import type { RunWatch } from '../run-watch.ts'
import type { Terminal } from '../terminal.ts'
import { countdown, plural, shortId } from './format.ts'
import { rowsOf, type Mark, type Row } from './picture.ts'
import type { Progress } from './progress.ts'
import { nameWidth, styledRow } from './styled-row.ts'

/** Lines of the screen that the picture leaves free. */
const FREE_LINES = 4
const ERASE_BELOW = '\u001b[0J'
const HIDE_CURSOR = '\u001b[?25l'
const SHOW_CURSOR = '\u001b[?25h'
const cursorUp = (lines: number): string => (lines === 0 ? '' : `\u001b[${lines}A`)

export function treeProgress(terminal: Terminal, hint: string): Progress {
  let shown: RunWatch | undefined
  let drawn = 0
  let note = ''
  const erase = (): string => {
    const text = drawn === 0 ? '' : `\r${cursorUp(drawn)}${ERASE_BELOW}`
    drawn = 0
    return text
  }
  const draw = (last: boolean): void => {
    if (shown === undefined) return
    const lines = picture(terminal, shown, last)
    const footer = note === '' ? hint : note
    if (!last) lines.push(terminal.paint.dim(footer.padStart(Math.min(terminal.columns - 1, 92))))
    terminal.write(`${erase()}${lines.map((line) => `${line}\n`).join('')}`)
    drawn = last ? 0 : lines.length
  }
  const release = terminal.catchOthers((text) => {
    terminal.write(`${erase()}${text}${text.endsWith('\n') ? '' : '\n'}`)
    draw(false)
  })
  terminal.write(HIDE_CURSOR)
  return {
    begin: (watch, header) => {
      shown = watch
      terminal.line(`${header}\n`)
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
      terminal.write(SHOW_CURSOR)
    },
  }
}

function picture(terminal: Terminal, watch: RunWatch, last: boolean): string[] {
  const now = Date.now()
  const rows = rowsOf(watch, now)
  const chosen = fit(rows, Math.max(3, terminal.rows - FREE_LINES))
  const names = nameWidth(chosen.rows)
  const lines = chosen.rows.map((row) => styledRow(row, names, terminal.columns, terminal.paint))
  if (chosen.left.length > 0) lines.push(terminal.paint.dim(`    … ${countText(chosen.left)}`))
  const { pausedSinceMs, status } = watch.view.run
  if (status === 'PAUSED' && pausedSinceMs !== undefined && !last) {
    const command = `keelson signal ${shortId(watch.handle.runId)} resume`
    lines.push(
      `  ${terminal.paint.yellow(`‖ paused for ${countdown(now - pausedSinceMs)}`)}   ${terminal.paint.cyan(command)}`,
    )
  }
  return lines
}

const URGENCY: readonly Mark[] = ['failed', 'running', 'undone', 'waiting', 'done', 'skipped']

/** When there are too many rows: what moves or failed first, then what comes next and what was done last. */
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
