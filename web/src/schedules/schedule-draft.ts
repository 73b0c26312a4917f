/** A schedule as it is written in a form, and what the server is told of it. What is empty is left to the server's defaults. */
import type { AnswerOf, BodyOf } from '../../../src/core/api/contract.ts'
import type { getSchedule, previewSchedule, updateSchedule } from '../../../src/core/api/schedules.ts'

export type WholeSchedule = AnswerOf<typeof getSchedule>
export type Schedule = WholeSchedule['schedule']
type Definition = BodyOf<typeof updateSchedule>
export type Times = BodyOf<typeof previewSchedule>

export interface ScheduleDraft {
  readonly scheduleId: string
  readonly planId: string
  readonly planVersion: string
  readonly by: 'cron' | 'every'
  readonly cron: string
  readonly every: string
  readonly zone: string
  readonly overlap: NonNullable<Definition['overlap']>
  readonly catchUp: NonNullable<Definition['catchUp']>
  readonly catchUpMax: string
  readonly jitter: string
}

/** The zone of who writes it is the one they mean. */
export function newDraft(): ScheduleDraft {
  return {
    scheduleId: '',
    planId: '',
    planVersion: '',
    by: 'cron',
    cron: '',
    every: '',
    zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    overlap: 'skip',
    catchUp: 'latest',
    catchUpMax: '',
    jitter: '',
  }
}

export function draftOf(schedule: Schedule): ScheduleDraft {
  const { scheduleId, planId, planVersion = '', cron = '', every = '', zone = 'UTC', jitter = '' } = schedule
  const { overlap = 'skip', catchUp = 'latest', catchUpMax } = schedule
  return {
    scheduleId,
    planId,
    planVersion,
    by: schedule.every === undefined ? 'cron' : 'every',
    cron,
    every,
    zone,
    overlap,
    catchUp,
    catchUpMax: catchUpMax === undefined ? '' : String(catchUpMax),
    jitter,
  }
}

/** Undefined while nothing says when. */
export function timesOf({ by, cron, every, zone }: ScheduleDraft): Times | undefined {
  if (by === 'every') return every.trim() === '' ? undefined : { every: every.trim() }
  const given = zone.trim() === '' ? {} : { zone: zone.trim() }
  return cron.trim() === '' ? undefined : { cron: cron.trim(), ...given }
}

export function definitionOf(draft: ScheduleDraft, input: unknown): Definition {
  const { planId, planVersion, overlap, catchUp, catchUpMax, jitter } = draft
  return {
    planId,
    ...(planVersion === '' ? {} : { planVersion }),
    ...timesOf(draft),
    ...(input === undefined ? {} : { input }),
    overlap,
    catchUp,
    ...(catchUp === 'all' && catchUpMax.trim() !== '' ? { catchUpMax: Number(catchUpMax) } : {}),
    ...(jitter.trim() === '' ? {} : { jitter: jitter.trim() }),
  }
}
