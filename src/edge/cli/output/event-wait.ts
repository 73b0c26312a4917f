/** What a step or a run waits for, as a sentence: an event, with the command that sends it, a remote worker, or room in a pool or a limit. */
import type { LimitCause } from '../../../core/run/explain/not-started.ts'
import type { Cause } from '../../../core/run/explain/explain.ts'
import type { WorkerCause } from '../../../core/run/explain/worker-wait.ts'
import { duration, oneLine, plural, shortId, timeOfDay } from '../terminal/format.ts'

type EventCause = Extract<Cause, { kind: 'waiting-for-event' }>

/** `at`: an instant as people read it. `word`: a text as a shell takes it. */
export function eventTold(
  { name, key = '', since, expiresAt, match }: EventCause,
  now: number,
  at: (instant: number) => string,
  word: (text: string) => string,
): { readonly sentence: string; readonly commands: readonly string[] } {
  const which = key === '' ? `${name} (without a key)` : `${name} with the key ${oneLine(key, 200)}`
  const such = match === undefined ? '' : `, such that ${oneLine(match, 200)}`
  const until = expiresAt === undefined ? '' : `; it gives up ${at(expiresAt)}`
  const sentence = `it waits for the event ${which}${such}, since ${timeOfDay(since, now)}${until}`
  return { sentence, commands: [`keelson send ${word(name)}${key === '' ? '' : ` --key ${word(key)}`} --data '{}'`] }
}

/** Which limits have no room for a run, and what would free a place. */
export function limitsTold(limits: readonly LimitCause[] | undefined): string | undefined {
  if (limits === undefined) return undefined
  const told = limits.map(({ limit, position, heldBy }) => {
    const [first, ...others] = heldBy
    const more = others.length === 0 ? '' : ` or of ${plural(others.length, 'other')}`
    const freed = first === undefined ? 'time frees a place' : `the end of ${shortId(first)}${more} frees a place`
    return `the limit '${limit}' has no room, and it is number ${position} in its queue; ${freed}`
  })
  return `: ${told.join('; ')}`
}

type GrantCause = Extract<Cause, { kind: 'waiting-for-grant' }>

/** `it wants 1 of agent:writer since 13:58:40: all 3 are in use, and 5 wait` */
export function grantTold(
  { pool, wants, used, capacity, waiting, since, windowMs, openUntil }: GrantCause,
  now: number,
  at: (instant: number) => string,
): string {
  const start = `it wants ${wants} of ${pool} since ${timeOfDay(since, now)}`
  if (openUntil !== undefined && openUntil > now)
    return `${start}: too many failures in a row, no step may start until ${at(openUntil)}`
  const room =
    windowMs === undefined
      ? `${used} of ${capacity} are in use`
      : `${used} of ${capacity} per ${duration(windowMs)} are taken`
  return `${start}: ${room}, and ${plural(waiting, 'step')} wait${waiting === 1 ? 's' : ''}`
}

/** No worker of its queue has it yet, or one does. */
export function workerTold(
  cause: WorkerCause,
  now: number,
): { readonly sentence: string; readonly commands: readonly string[] } {
  return { sentence: sentenceOf(cause, now), commands: ['keelson workers'] }
}

function sentenceOf(cause: WorkerCause, now: number): string {
  const since = `since ${timeOfDay(cause.since, now)}`
  if (cause.kind === 'waiting-for-worker') {
    const { queue, handler, askedAt } = cause
    const last = askedAt === undefined ? 'none has asked' : `one last asked at ${timeOfDay(askedAt, now)}`
    return `it waits for a worker of the queue ${queue} with the function ${handler} ${since}; ${last}`
  }
  const { queue, worker, until } = cause
  const silent = until > now ? '' : `; its lease ended at ${timeOfDay(until, now)} without a heartbeat`
  return `worker ${worker} of the queue ${queue} has it ${since}${silent}`
}
