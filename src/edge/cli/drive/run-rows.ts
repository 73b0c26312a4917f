/** Runs as a table for people, newest first; child runs and undoing runs are folded under the run that started them. */
import { compensationOf } from '../../../app/loaded/compensation-run-id.ts'
import { isForeign } from '../../../core/engine/engine-type.ts'
import type { RunRow } from '../../../ports/run-store.ts'
import { errorCodeOf } from '../output/public-row.ts'
import { isDriven, whyPending } from './run-lease.ts'
import { duration, plural, shortId, timeOfDay } from '../terminal/format.ts'
import { printTable } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'

const HEADING = ['RUN', 'PLAN', 'STATUS', 'STEPS', 'STARTED', 'TOOK', '']
/** Of one run; `show` lists more. */
const CHILDREN_SHOWN = 3

export function printRuns(terminal: Terminal, rows: readonly RunRow[]): void {
  printTable(terminal, HEADING, [...folded(rows)])
}

function* folded(rows: readonly RunRow[]): Generator<readonly string[]> {
  const shown = new Set(rows.map(({ runId }) => runId))
  const children = new Map<string, RunRow[]>()
  for (const row of rows) {
    const above = row.parent?.runId
    if (above !== undefined && shown.has(above)) children.set(above, [row, ...(children.get(above) ?? [])])
  }
  for (const row of rows) {
    if (row.parent !== undefined && shown.has(row.parent.runId)) continue
    yield* withChildren(row, children, 0)
  }
}

function* withChildren(
  row: RunRow,
  children: ReadonlyMap<string, readonly RunRow[]>,
  depth: number,
): Generator<readonly string[]> {
  yield rowCells(row, depth)
  const own = children.get(row.runId) ?? []
  for (const child of own.slice(0, CHILDREN_SHOWN)) yield* withChildren(child, children, depth + 1)
  const more = own.length - CHILDREN_SHOWN
  if (more > 0) yield [`${indent(depth + 1)}… ${plural(more, 'more child run')}: keelson show ${shortId(row.runId)}`]
}

const indent = (depth: number): string => (depth === 0 ? '' : `${' '.repeat(2 * (depth - 1))}└ `)

function noteOf(row: RunRow): string {
  if (isForeign(row)) return ''
  return whyPending(row) ?? 'nobody drives it'
}

function setAsideNote(code: string): string {
  return code === 'RUN_QUARANTINED' ? 'set aside' : `set aside (${code})`
}

/** Such a run did no work of its own: it undid the work of another. */
function originText(row: RunRow, depth: number): string {
  const undone = compensationOf(row)
  if (undone !== undefined) return `undoes ${shortId(undone)}`
  if (row.parent === undefined) return ''
  return depth > 0 ? `for ${row.parent.slot}` : `child of ${shortId(row.parent.runId)}, ${row.parent.slot}`
}

function rowCells(row: RunRow, depth: number): readonly string[] {
  const started = row.startedAt ?? row.createdAt
  const live = row.endedAt === undefined
  const note = [
    errorCodeOf(row) ?? (live && !isDriven(row) ? noteOf(row) : ''),
    isForeign(row) ? 'imported' : originText(row, depth),
  ]
    .filter(Boolean)
    .join('  ')
  return [
    `${indent(depth)}${shortId(row.runId)}`,
    `${row.planId} ${row.planVersion}`,
    row.substatus === undefined ? row.status : `${row.status} ${row.substatus}`,
    `${row.stepsDone}/${row.stepsTotal}`,
    timeOfDay(started),
    duration((row.endedAt ?? Date.now()) - started),
    row.quarantine === undefined ? (row.archivedAt === undefined ? note : 'archived') : setAsideNote(row.quarantine),
  ]
}
