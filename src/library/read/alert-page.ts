/**
 * A page of the alerts of a tenant's runs, made of their logs. The cursor names the run and how many of its alerts were shown; a request
 * looks at so many runs and reads so many events, and no more, so that a page may be empty while there are more.
 */
import { runAlerts } from '../../app/project/run-alerts.ts'
import { KILLS_PROCESS } from '../../core/engine/last-words.ts'
import { fail } from '../../core/problems/problem.ts'
import type { ViewAlert } from '../../core/view/fold/view-alert.ts'
import type { RunRow } from '../../ports/run-store.ts'
import type { ReadingParts } from '../parts.ts'

export interface AlertPageFilter {
  /** Of one run; default of all. */
  readonly row?: RunRow | undefined
  /** Epoch milliseconds. */
  readonly since?: number | undefined
  readonly priority?: readonly string[] | undefined
  readonly code?: readonly string[] | undefined
}

interface Place {
  /** The page of the list of runs. */
  readonly list?: string
  /** Within it: the run, and how many of its alerts were passed. */
  readonly run?: string
  readonly passed: number
}

export interface AlertPage {
  readonly alerts: readonly ViewAlert[]
  readonly next?: string
}

const RUNS = 200
/** Pages of runs that one request looks at. */
const PAGES = 25
/** Once a request has read so many, no further log is begun. */
const MOST_EVENTS = 50_000

export async function alertPage(
  parts: ReadingParts,
  filter: AlertPageFilter,
  { limit, cursor }: { readonly limit: number; readonly cursor?: string | undefined },
): Promise<AlertPage> {
  const alerts: ViewAlert[] = []
  let place: Place = cursor === undefined ? { passed: 0 } : placeOf(cursor)
  let events = 0
  for (let pages = 0; pages < PAGES; pages += 1) {
    const { rows, next } = await rowsAt(parts, filter, place)
    for (const row of rows) {
      if (!isRead(row, filter)) continue
      let passed = row.runId === place.run ? place.passed : 0
      if (events >= MOST_EVENTS) return { alerts, next: cursorOf({ ...place, run: row.runId, passed }) }
      events += row.nextSeq
      for await (const alert of alertsAfter(parts, filter, row, passed)) {
        if (alerts.length === limit) return { alerts, next: cursorOf({ ...place, run: row.runId, passed }) }
        if (fits(alert, filter)) alerts.push(alert)
        passed += 1
      }
    }
    if (next === undefined) return { alerts }
    place = { list: next, passed: 0 }
  }
  return { alerts, next: cursorOf(place) }
}

async function rowsAt(
  { services, principal }: ReadingParts,
  { row }: AlertPageFilter,
  { list, run }: Place,
): Promise<{ readonly rows: readonly RunRow[]; readonly next?: string | undefined }> {
  if (row !== undefined) return { rows: [row] }
  const page = { limit: RUNS, ...(list === undefined ? {} : { cursor: list }) }
  const { runs, next } = await services.store.listRuns(principal.tenantId, {}, page)
  const from = run === undefined ? 0 : runs.findIndex(({ runId }) => runId === run)
  return { rows: runs.slice(Math.max(0, from)), next }
}

async function* alertsAfter(
  { services, advancer }: ReadingParts,
  { since = Number.NEGATIVE_INFINITY }: AlertPageFilter,
  row: RunRow,
  passed: number,
): AsyncGenerator<ViewAlert, void> {
  let at = 0
  for await (const alert of runAlerts(services.store, advancer.plans, row, since)) {
    at += 1
    if (at > passed) yield alert
  }
}

/** The row is changed with each append: nothing is newer in its log. */
function isRead(row: RunRow, { since = Number.NEGATIVE_INFINITY }: AlertPageFilter): boolean {
  return row.archivedAt === undefined && row.quarantine !== KILLS_PROCESS && row.updatedAt >= since
}

function fits({ priority, code }: ViewAlert, asked: AlertPageFilter): boolean {
  return asked.priority?.includes(priority) !== false && asked.code?.includes(code) !== false
}

function cursorOf({ list = '', run = '', passed }: Place): string {
  return Buffer.from(JSON.stringify([list, run, passed])).toString('base64url')
}

function placeOf(cursor: string): Place {
  const match = /^\["([\w-]{0,512})","([^"\\]{0,512})",(\d{1,9})\]$/.exec(Buffer.from(cursor, 'base64url').toString())
  if (match === null) return fail('LIST_CURSOR_INVALID', 'The cursor does not come from this list.')
  const [, list = '', run = '', passed = '0'] = match
  return { ...(list === '' ? {} : { list }), ...(run === '' ? {} : { run }), passed: Number(passed) }
}
