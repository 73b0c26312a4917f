/**
 * A page of a tenant's open tasks, newest runs first. The cursor names the last run that was looked at and how many of its tasks were
 * shown, so that what begins or ends meanwhile shifts nothing. One request looks at so many runs and reads so many logs, and no more:
 * a page may be short, or empty, while there are more.
 */
import type { Caller } from '../../app/identity/caller.ts'
import { planOf } from '../../app/loaded/load-run.ts'
import { tasksFor, type TaskFor } from '../../app/steer/tasks-for.ts'
import { appendAll } from '../../core/collections/append-all.ts'
import { isForeign } from '../../core/engine/engine-type.ts'
import { fail } from '../../core/problems/problem.ts'
import type { RunKey, RunRow } from '../../ports/run-store.ts'
import type { Keelson } from '../keelson/keelson.ts'
import { noneOfDamaged } from '../read/damaged-run.ts'
import { partsOf } from '../services-of.ts'
import { viewerOf } from './tasks-for.ts'

export interface TaskQuery {
  readonly runId?: string
  readonly planId?: string
  readonly limit: number
  readonly cursor?: string
}

export interface TaskOfPlan extends TaskFor {
  readonly planId: string
}

export interface TaskPage {
  readonly tasks: readonly TaskOfPlan[]
  readonly next?: string
}

/** Behind a run, or within its tasks. */
interface Place {
  readonly createdAt: number
  readonly runKey: RunKey
  /** Tasks of this run that were shown; absent: all of them. */
  readonly shown?: number
}

const ROWS = 200
/** Of one request. */
const MOST_ROWS = 5_000
const MOST_LOGS = 500

export async function openTasks(keelson: Keelson, caller: Caller, query: TaskQuery): Promise<TaskPage> {
  const { limit, cursor } = query
  let place = cursor === undefined ? undefined : placeOf(cursor)
  const tasks: TaskOfPlan[] = []
  let [rows, logs] = [0, 0]
  for await (const row of rowsAfter(keelson, query, place)) {
    if (place !== undefined && (rows >= MOST_ROWS || logs >= MOST_LOGS)) return { tasks, next: cursorOf(place) }
    rows += 1
    const before = place?.runKey === row.runKey ? (place.shown ?? 0) : 0
    place = { createdAt: row.createdAt, runKey: row.runKey }
    if (!(await mayHaveTasks(keelson, row))) continue
    logs += 1
    const own: readonly TaskFor[] = await tasksFor(partsOf(keelson), row.runId, viewerOf(caller)).catch(noneOfDamaged)
    const shown = before + limit - tasks.length
    appendAll(
      tasks,
      own.slice(before, shown).map((task) => ({ ...task, planId: row.planId })),
    )
    if (own.length > shown) return { tasks, next: cursorOf({ ...place, shown }) }
    if (tasks.length === limit) return { tasks, next: cursorOf(place) }
  }
  return { tasks }
}

async function* rowsAfter(
  keelson: Keelson,
  { runId, planId }: TaskQuery,
  place: Place | undefined,
): AsyncGenerator<RunRow, void> {
  if (runId !== undefined) {
    const { row } = await keelson.run(runId)
    if ((planId === undefined || row.planId === planId) && !isPassed(row, place)) yield row
    return
  }
  const filter = {
    status: ['RUNNING', 'PAUSED'] as const,
    ...(planId === undefined ? {} : { planId }),
    ...(place === undefined ? {} : { createdTo: place.createdAt }),
  }
  for (let cursor: string | undefined; ;) {
    const page = await keelson.list(filter, { limit: ROWS, ...(cursor === undefined ? {} : { cursor }) })
    for (const row of page.runs) if (!isPassed(row, place)) yield row
    if (page.next === undefined) return
    cursor = page.next
  }
}

/** In the order of the list: of runs that began in the same millisecond, the one with the higher key comes first. */
function isPassed({ createdAt, runKey }: RunRow, place: Place | undefined): boolean {
  if (place === undefined || createdAt < place.createdAt) return false
  if (createdAt > place.createdAt || runKey > place.runKey) return true
  return runKey === place.runKey && place.shown === undefined
}

/** The log of a run whose plan asks nobody is not read. Nobody can complete a task of a run that was set aside. */
async function mayHaveTasks(keelson: Keelson, row: RunRow): Promise<boolean> {
  if (row.quarantine !== undefined || isForeign(row)) return false
  const { graph } = await planOf(partsOf(keelson).advancer.plans, row)
  return graph.kinds.includes('manual')
}

function cursorOf({ createdAt, runKey, shown }: Place): string {
  return Buffer.from([createdAt, runKey, ...(shown === undefined ? [] : [shown])].join('.')).toString('base64url')
}

function placeOf(cursor: string): Place {
  const match = /^(\d{1,16})\.(\d{1,16})(?:\.(\d{1,9}))?$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))
  if (match === null) return fail('LIST_CURSOR_INVALID', 'The cursor does not come from this list.')
  const [, createdAt, runKey, shown] = match
  const within = shown === undefined ? {} : { shown: Number(shown) }
  return { createdAt: Number(createdAt), runKey: Number(runKey), ...within }
}
