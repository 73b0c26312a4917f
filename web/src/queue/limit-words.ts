/** A limit for starts in words: what it allows, and what becomes of a start without room. */
import type { Limit } from './use-queue.ts'

/** In the order in which they are offered. */
export const WHEN_FULL = {
  QUEUE: 'waits, and starts when a place is free: by priority, then in order',
  REJECT: 'is refused with RUN_LIMIT_REACHED and a time to try again; nothing is stored',
  DELAY: 'is taken, and tries again at the next minute or after five seconds',
  REPLACE_OLDEST: 'has the oldest run cancelled, and starts when that has ended',
} as const

export type WhenFull = keyof typeof WHEN_FULL
const ALL = Object.keys(WHEN_FULL) as readonly WhenFull[]

/** Of a later version of the server it may be a word that is not known here. */
export function readWhenFull(word: string | undefined): WhenFull {
  return ALL.find((one) => one === word) ?? 'QUEUE'
}

export function allows({ maxRunning, ratePerMinute, maxConcurrentSteps }: Partial<Limit>): string {
  return [
    ...(maxRunning === undefined ? [] : [`${maxRunning.toLocaleString('en')} at once`]),
    ...(ratePerMinute === undefined ? [] : [`${ratePerMinute.toLocaleString('en')} starts in a minute`]),
    ...(maxConcurrentSteps === undefined
      ? []
      : [`plans with up to ${maxConcurrentSteps.toLocaleString('en')} steps at once`]),
  ].join(', ')
}

export function whenFullWords(whenFull: string): string {
  return `a start without room ${(WHEN_FULL as Readonly<Record<string, string>>)[whenFull] ?? whenFull}`
}

/** Undefined where the limit is not known: it was taken away, or may not be seen. */
export function limitWords(limit: Limit | undefined): string | undefined {
  return limit === undefined ? undefined : `It allows ${allows(limit)}; ${whenFullWords(limit.whenFull)}.`
}
