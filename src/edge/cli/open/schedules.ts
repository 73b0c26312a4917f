/** Schedules for a command: those of the local tenant in the store of this place, or those behind a server. */
import * as app from '../../../app/schedules/manage-schedules.ts'
import { recentRuns } from '../../../app/schedules/start-occurrence.ts'
import { LOCAL_PRINCIPAL } from '../../../app/principal.ts'
import type { AnswerOf, BodyOf } from '../../../core/api/contract.ts'
import type * as api from '../../../core/api/schedules.ts'
import { isoFromMs, msFromIso } from '../../../core/time.ts'
import type { Client } from '../../../client/connect.ts'
import { shownSchedule, wholeSchedule } from '../../http/wire/schedule-view.ts'
import type { RunStore } from '../../../ports/run-store.ts'
import { cursorPages } from '../../../client/pages.ts'
import { serverClient } from '../remote/server-client.ts'
import type { Options } from '../terminal/command.ts'
import { openToLook } from './look.ts'

export type ShownSchedule = AnswerOf<typeof api.createSchedule>
export type WholeSchedule = AnswerOf<typeof api.getSchedule>
export type BackfillCount = AnswerOf<typeof api.previewBackfill>
export type BackfillSpan = { readonly from: string; readonly to: string }

export interface ScheduleCalls {
  list(): Promise<readonly ShownSchedule[]>
  get(scheduleId: string): Promise<WholeSchedule>
  create(asked: BodyOf<typeof api.createSchedule>): Promise<ShownSchedule>
  remove(scheduleId: string): Promise<void>
  pause(scheduleId: string, pause: BodyOf<typeof api.pauseSchedule>): Promise<ShownSchedule>
  resume(scheduleId: string): Promise<ShownSchedule>
  preview(scheduleId: string, span: BackfillSpan): Promise<BackfillCount>
  backfill(scheduleId: string, span: BackfillSpan, concurrency: number): Promise<AnswerOf<typeof api.startBackfill>>
  close(): Promise<void>
}

export async function openSchedules(options: Options, uuid: () => string): Promise<ScheduleCalls> {
  const client = await serverClient(options, options.text('as'))
  return client === undefined ? schedulesHere(await openToLook(options), uuid) : schedulesAfar(client)
}

const PAGE = 1_000

function schedulesHere(store: RunStore, uuid: () => string): ScheduleCalls {
  const { tenantId, actorId } = LOCAL_PRINCIPAL
  const by = (): app.Managing => ({ store, tenantId, actorId, now: Date.now() })
  const shown = (one: Parameters<typeof shownSchedule>[0]): ShownSchedule =>
    shownSchedule(one, Date.now()) as ShownSchedule
  return {
    list: async () => (await app.listSchedules(by(), '', PAGE)).map(shown),
    get: async (id) => {
      const found = await app.findSchedule(by(), id)
      return wholeSchedule(found, await recentRuns(store, found), Date.now()) as WholeSchedule
    },
    create: async ({ scheduleId, ...asked }) => shown(await app.createSchedule(by(), { scheduleId, asked })),
    remove: (id) => app.deleteSchedule(by(), id),
    pause: async (id, { until, reason }) => {
      const pause = {
        ...(until === undefined ? {} : { until: ms(until) }),
        ...(reason === undefined ? {} : { reason }),
      }
      return shown(await app.pauseSchedule(by(), id, pause))
    },
    resume: async (id) => shown(await app.resumeSchedule(by(), id)),
    preview: async (id, span) => {
      const { first, ...counts } = await app.previewBackfill(by(), id, spanOf(span))
      return { ...counts, first: first.map(isoFromMs) }
    },
    backfill: async (id, span, concurrency) => {
      const backfillId = uuid()
      const { occurrences } = await app.startBackfill(by(), id, { ...spanOf(span), backfillId, concurrency })
      return { backfillId, occurrences }
    },
    close: () => store.close(),
  }
}

function spanOf({ from, to }: BackfillSpan): app.BackfillSpan {
  return { from: ms(from), to: ms(to) }
}

/** Commands give instants that they have read. */
function ms(text: string): number {
  return msFromIso(text) ?? Number.NaN
}

function schedulesAfar({ call }: Client): ScheduleCalls {
  const of = (scheduleId: string): { readonly params: { readonly scheduleId: string } } => ({ params: { scheduleId } })
  return {
    list: async () => {
      const found: ShownSchedule[] = []
      const pages = cursorPages<ShownSchedule, string | undefined>(undefined, async (cursor) => {
        const { schedules, next } = await call('listSchedules', { query: cursor === undefined ? {} : { cursor } })
        return { items: schedules, next }
      })
      for await (const one of pages) found.push(one)
      return found
    },
    get: (id) => call('getSchedule', of(id)),
    create: (body) => call('createSchedule', { body }),
    remove: async (id) => void (await call('deleteSchedule', of(id))),
    pause: (id, body) => call('pauseSchedule', { ...of(id), body }),
    resume: (id) => call('resumeSchedule', of(id)),
    preview: (id, query) => call('previewBackfill', { ...of(id), query }),
    backfill: (id, span, concurrency) => call('startBackfill', { ...of(id), body: { ...span, concurrency } }),
    close: async () => undefined,
  }
}
