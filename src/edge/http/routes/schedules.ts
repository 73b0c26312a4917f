/** Schedules of the caller's tenant. Whoever keeps the clock in this process is told of each change. */
import * as app from '../../../app/schedules/manage-schedules.ts'
import { recentRuns } from '../../../app/schedules/start-occurrence.ts'
import * as api from '../../../core/api/schedules.ts'
import { fail } from '../../../core/problems/problem.ts'
import { isoFromMs, msFromIso } from '../../../core/time.ts'
import { wakeSchedules } from '../../../library/clockwork/schedules.ts'
import { servicesOf } from '../../../library/services-of.ts'
import { bind, type Asked, type BoundRoute } from '../serve/bound-route.ts'
import { shownSchedule, wholeSchedule } from '../wire/schedule-view.ts'

const PAGE = 50
const AT_ONCE = 1

type Asking = Pick<Asked, 'caller' | 'keelson' | 'world'>

function managing({ caller, keelson, world }: Asking): app.Managing {
  const { tenantId, actorId } = caller
  return { store: servicesOf(keelson).store, tenantId, actorId, now: world.now() }
}

/** For what changes one. */
async function acted<T>(asked: Asking, act: (by: app.Managing) => Promise<T>): Promise<T> {
  const made = await act(managing(asked))
  wakeSchedules(asked.keelson)
  return made
}

function instantOf(text: string, field: string): number {
  return (
    msFromIso(text) ??
    fail('BODY_INVALID', `${field} is an instant such as 2031-01-31T00:00:00Z`, { pointer: `/${field}` })
  )
}

export const SCHEDULES: readonly BoundRoute[] = [
  bind(api.listSchedules, async (asked) => {
    const { limit = PAGE, cursor = '' } = asked.query
    const found = await app.listSchedules(managing(asked), cursor, limit)
    const next = found.length < limit ? undefined : found.at(-1)?.scheduleId
    const schedules = found.map((one) => shownSchedule(one, asked.world.now()))
    return { body: { schedules, ...(next === undefined ? {} : { next }) } }
  }),
  bind(api.createSchedule, async (asked) => {
    const { scheduleId, pausedUntil, ...definition } = asked.body
    const until = pausedUntil === undefined ? undefined : instantOf(pausedUntil, 'pausedUntil')
    const create = { scheduleId, asked: definition, pausedUntil: until }
    const made = await acted(asked, (by) => app.createSchedule(by, create))
    return { status: 201, body: shownSchedule(made, asked.world.now()), target: scheduleId }
  }),
  bind(api.previewSchedule, ({ world, body }) => ({ body: { next: app.comingOf(body, world.now()).map(isoFromMs) } })),
  bind(api.getSchedule, async (asked) => {
    const by = managing(asked)
    const found = await app.findSchedule(by, asked.params.scheduleId)
    return { body: wholeSchedule(found, await recentRuns(by.store, found), by.now) }
  }),
  bind(api.updateSchedule, async (asked) => {
    const { params, body, world } = asked
    const made = await acted(asked, (by) => app.updateSchedule(by, params.scheduleId, body))
    return { body: shownSchedule(made, world.now()) }
  }),
  bind(api.deleteSchedule, async (asked) => {
    const { scheduleId } = asked.params
    await acted(asked, (by) => app.deleteSchedule(by, scheduleId))
    return { body: { scheduleId, deleted: true } }
  }),
  bind(api.pauseSchedule, async (asked) => {
    const { params, body, world } = asked
    const pause = {
      ...(body.until === undefined ? {} : { until: instantOf(body.until, 'until') }),
      ...(body.reason === undefined ? {} : { reason: body.reason }),
    }
    const made = await acted(asked, (by) => app.pauseSchedule(by, params.scheduleId, pause))
    return { body: shownSchedule(made, world.now()) }
  }),
  bind(api.resumeSchedule, async (asked) => {
    const made = await acted(asked, (by) => app.resumeSchedule(by, asked.params.scheduleId))
    return { body: shownSchedule(made, asked.world.now()) }
  }),
  bind(api.previewBackfill, async (asked) => {
    const { params, query } = asked
    const span = { from: instantOf(query.from, 'from'), to: instantOf(query.to, 'to') }
    const { first, ...counts } = await app.previewBackfill(managing(asked), params.scheduleId, span)
    return { body: { ...counts, first: first.map(isoFromMs) } }
  }),
  bind(api.startBackfill, async (asked) => {
    const { params, body, world } = asked
    const { concurrency = AT_ONCE } = body
    const span = { from: instantOf(body.from, 'from'), to: instantOf(body.to, 'to') }
    const backfillId = world.uuid()
    const { occurrences } = await acted(asked, (by) =>
      app.startBackfill(by, params.scheduleId, { ...span, backfillId, concurrency }),
    )
    return { status: 202, body: { backfillId, occurrences } }
  }),
]
