/** `keelson runs`: what ran and runs here, newest first, page by page; or how many there are in each status. */
import { LOCAL_PRINCIPAL } from '../../../app/principal.ts'
import { compensationOf } from '../../../app/undo-run-id.ts'
import { fail } from '../../../core/problems/problem.ts'
import { RUN_TRANSITIONS, type RunStatus } from '../../../core/run/transitions.ts'
import type { ListFilter, RunRow, RunStore } from '../../../ports/run-store.ts'
import type { Call, Options } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { instantOf } from '../instant.ts'
import { isDriven, isQueued } from '../run-lease.ts'
import { duration, shortId, timeOfDay } from '../output/format.ts'
import { publicRow } from '../output/public-row.ts'
import { printTable } from '../output/table.ts'
import { openToLook } from '../look.ts'
import type { Terminal } from '../terminal.ts'

const DEFAULT_LIMIT = 20
const PAGE = 500
const RUN_STATUSES = Object.keys(RUN_TRANSITIONS) as readonly RunStatus[]
const { tenantId } = LOCAL_PRINCIPAL

export async function runs({ options, terminal }: Call): Promise<number> {
  const filter = filterOf(options)
  const limit = Math.max(1, options.whole('limit') ?? DEFAULT_LIMIT)
  const store = await openToLook(options)
  try {
    if (options.flag('counts')) await tellCounts(store, filter, options, terminal)
    else if (options.flag('all')) await tellAll(store, filter, options, terminal)
    else await tellPage(store, filter, limit, options, terminal)
    return EXIT.completed
  } finally {
    await store.close()
  }
}

function filterOf(options: Options): ListFilter {
  const status = options.list('status').map(statusOf)
  const planId = options.text('plan')
  const now = Date.now()
  const since = options.text('since')
  const until = options.text('until')
  return {
    ...(status.length === 0 ? {} : { status }),
    ...(planId === undefined ? {} : { planId }),
    ...(since === undefined ? {} : { createdFrom: instantOf(since, '--since', now) }),
    ...(until === undefined ? {} : { createdTo: instantOf(until, '--until', now) }),
  }
}

function statusOf(text: string): RunStatus {
  const wanted = text.toUpperCase()
  const known = RUN_STATUSES.find((status) => status === wanted)
  return known ?? fail('USAGE', `'${text}' is not a status; it is one of ${RUN_STATUSES.join(', ')}`)
}

async function tellPage(
  store: RunStore,
  filter: ListFilter,
  limit: number,
  options: Options,
  terminal: Terminal,
): Promise<void> {
  const cursor = options.text('cursor')
  const page = await store.listRuns(tenantId, filter, { limit, ...(cursor === undefined ? {} : { cursor }) })
  tellRows(page.runs, filter, options, terminal)
  if (page.next === undefined) return
  if (options.json) terminal.json({ next: page.next })
  else terminal.line(terminal.paint.dim(`… there are older ones: --cursor ${page.next}, --limit ${limit * 5} or --all`))
}

async function tellAll(store: RunStore, filter: ListFilter, options: Options, terminal: Terminal): Promise<void> {
  const rows: RunRow[] = []
  for (let cursor = options.text('cursor'); ;) {
    const page = await store.listRuns(tenantId, filter, { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) })
    // As JSON a million runs need no more memory than a page.
    if (options.json) tellRows(page.runs, filter, options, terminal)
    else rows.push(...page.runs)
    cursor = page.next
    if (cursor === undefined) break
  }
  if (!options.json) tellRows(rows, filter, options, terminal)
}

function tellRows(rows: readonly RunRow[], filter: ListFilter, options: Options, terminal: Terminal): void {
  if (options.json) for (const row of rows) terminal.json(publicRow(row))
  else if (rows.length === 0) terminal.line(noneText(filter))
  else printTable(terminal, ['RUN', 'PLAN', 'STATUS', 'STEPS', 'STARTED', 'TOOK', ''], rows.map(rowCells))
}

function noneText({ status, ...others }: ListFilter): string {
  if (Object.keys(others).length > 0) return 'no such runs'
  return status === undefined ? 'no runs yet' : `no runs with status ${status.join(' or ')}`
}

async function tellCounts(store: RunStore, filter: ListFilter, options: Options, terminal: Terminal): Promise<void> {
  if (Object.keys(filter).length > 0) fail('USAGE', '--counts counts all runs; it takes no filter')
  const counts = await store.countRuns(tenantId)
  const found = RUN_STATUSES.flatMap((status) => {
    const count = counts.get(status) ?? 0
    return count === 0 ? [] : [[status, count] as const]
  })
  if (options.json) terminal.json(Object.fromEntries(found))
  else if (found.length === 0) terminal.line('no runs yet')
  else for (const [status, count] of found) terminal.line(`${status.padEnd(10)} ${String(count).padStart(8)}`)
}

function noteOf(row: RunRow): string {
  if (isQueued(row)) return 'queued'
  return row.status === 'APPROVED' ? `not before ${timeOfDay(row.nextWakeAt ?? 0)}` : 'nobody drives it'
}

function setAsideNote(code: string): string {
  return code === 'RUN_QUARANTINED' ? 'set aside' : `set aside (${code})`
}

/** Such a run did no work of its own: it undid that of another. */
function undoesText(row: RunRow): string {
  const undone = compensationOf(row)
  return undone === undefined ? '' : `undoes ${shortId(undone)}`
}

function rowCells(row: RunRow): readonly string[] {
  const started = row.startedAt ?? row.createdAt
  const live = row.endedAt === undefined
  const note = [row.errorCode ?? (live && !isDriven(row) ? noteOf(row) : ''), undoesText(row)]
    .filter(Boolean)
    .join('  ')
  return [
    shortId(row.runId),
    `${row.planId} ${row.planVersion}`,
    row.substatus === undefined ? row.status : `${row.status} ${row.substatus}`,
    `${row.stepsDone}/${row.stepsTotal}`,
    timeOfDay(started),
    duration((row.endedAt ?? Date.now()) - started),
    row.quarantine === undefined ? (row.archivedAt === undefined ? note : 'archived') : setAsideNote(row.quarantine),
  ]
}
