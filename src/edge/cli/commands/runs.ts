/** `keelson runs`: what ran and runs here, newest first. */
import { fail } from '../../../core/problems/problem.ts'
import { RUN_TRANSITIONS, type RunStatus } from '../../../core/run/transitions.ts'
import type { RunRow } from '../../../ports/run-store.ts'
import type { Call } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { isDriven } from '../find-run.ts'
import { duration, shortId, timeOfDay } from '../output/format.ts'
import { printTable } from '../output/table.ts'
import { openExisting } from '../session.ts'

const DEFAULT_LIMIT = 20
const RUN_STATUSES = Object.keys(RUN_TRANSITIONS) as readonly RunStatus[]

export async function runs({ options, terminal }: Call): Promise<number> {
  const status = options.list('status').map(statusOf)
  const limit = options.whole('limit') ?? DEFAULT_LIMIT
  const keelson = await openExisting(options.dir)
  try {
    const page = await keelson.list(status.length === 0 ? {} : { status }, { limit: Math.max(1, limit) })
    if (options.json) for (const row of page.runs) terminal.json(publicRow(row))
    else if (page.runs.length === 0)
      terminal.line(status.length === 0 ? 'no runs yet' : `no runs with status ${status.join(' or ')}`)
    else printTable(terminal, ['RUN', 'PLAN', 'STATUS', 'STEPS', 'STARTED', 'TOOK', ''], page.runs.map(rowCells))
    if (!options.json && page.next !== undefined)
      terminal.line(terminal.paint.dim(`… older runs: keelson runs --limit ${limit * 5}`))
    return EXIT.completed
  } finally {
    await keelson.close()
  }
}

function statusOf(text: string): RunStatus {
  const wanted = text.toUpperCase()
  const known = RUN_STATUSES.find((status) => status === wanted)
  return known ?? fail('USAGE', `'${text}' is not a status; it is one of ${RUN_STATUSES.join(', ')}`)
}

function rowCells(row: RunRow): readonly string[] {
  const started = row.startedAt ?? row.createdAt
  const live = row.endedAt === undefined
  const note = row.errorCode ?? (live && !isDriven(row) ? 'nobody drives it' : '')
  return [
    shortId(row.runId),
    `${row.planId} ${row.planVersion}`,
    row.substatus === undefined ? row.status : `${row.status} ${row.substatus}`,
    `${row.stepsDone}/${row.stepsTotal}`,
    timeOfDay(started),
    duration((row.endedAt ?? Date.now()) - started),
    row.quarantine ?? (row.archivedAt === undefined ? note : 'archived'),
  ]
}

/** The row without what only drivers need. */
function publicRow({ runKey: _key, headHash: _head, lease: _lease, ...row }: RunRow): object {
  return row
}
