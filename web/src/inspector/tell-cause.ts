/** A cause in words: why a step is where it is, which step or event it is about, and which run to look at. */
import type { LogRecord } from '../../../src/core/events/event.ts'
import { viewOf } from '../../../src/core/events/event-views.ts'
import { stepSlotOf } from '../../../src/core/events/slot-of.ts'
import type { Cause } from '../../../src/core/run/explain/explain.ts'
import { duration, plural, shortId, timeOfDay } from '../shown/words.ts'

export interface ToldCause {
  readonly sentence: string
  /** A step that it names, to go on from. */
  readonly step?: string | undefined
  readonly runSeq?: number | undefined
  readonly runId?: string | undefined
}

export interface Asked {
  readonly now: number
  /** Of whom is asked, where it is one. */
  readonly slot?: string
  /** The log up to the moment. */
  readonly recordAt: (seq: number) => LogRecord | undefined
  readonly findLast: (eventType: string, fits?: (record: LogRecord) => boolean) => LogRecord | undefined
}

type Teller<K extends Cause['kind']> = (cause: Extract<Cause, { kind: K }>, asked: Asked) => ToldCause

const at = (instant: number, { now }: Asked): string =>
  instant > now ? `${timeOfDay(instant, now)} (in ${duration(instant - now)})` : `${timeOfDay(instant, now)} (due)`
const attemptOf = (attempt: number, most: number | 'unlimited'): string =>
  most === 'unlimited' ? `attempt ${attempt}` : `attempt ${attempt} of ${most}`
const because = (slot: string | undefined, code: string | undefined): string =>
  slot === undefined ? '' : `, because ${slot} failed with ${code ?? 'an error'}`
const byRun = (runId: string | undefined): string => (runId === undefined ? '' : ` by run ${shortId(runId)}`)

/** `HTTP_503 the service is away`, as the event tells it. */
function failureAt({ recordAt }: Asked, runSeq: number, code: string): string {
  const record = recordAt(runSeq)
  const error = record?.runSeq === runSeq ? viewOf(record).payload['error'] : undefined
  const message = (error as { readonly message?: unknown } | undefined)?.message
  return typeof message === 'string' ? `${code}: ${message}` : code
}

/** The event of the last failed attempt of the slot that is asked about; 0 where the log has none. */
function lastFailureOf({ slot, findLast }: Asked): number {
  return slot === undefined ? 0 : (findLast('StepFailed', (record) => stepSlotOf(record) === slot)?.runSeq ?? 0)
}

/** ` by ana since 13:58:40, "stock count"`, as far as the log tells. */
export function pauseDetails(asked: Asked): string {
  const paused = asked.findLast('RunPaused')
  if (paused === undefined) return ''
  const { reason, signalId, scope } = viewOf(paused).payload
  const who = signalId === undefined ? scope : actorOf(signalId, asked)
  const by = typeof who === 'string' ? ` by ${who}` : ''
  const why = typeof reason === 'string' && reason !== '' ? `, "${reason}"` : ''
  return `${by} since ${timeOfDay(Date.parse(paused.emittedAt), asked.now)}${why}`
}

/** Signals that came after it, such as a second pause, may be of others. */
function actorOf(signalId: unknown, { findLast }: Asked): unknown {
  return findLast('SignalAccepted', ({ payload }) => payload?.['signalId'] === signalId)?.payload?.['actorId']
}

const WAITS_FOR = {
  approval: ': it waits in the queue for approval',
  start: ': it is queued until somebody starts it',
  instant: ': it is delayed until its time',
} as const

const OF_RUN: { readonly [K in RunKind]: Teller<K> } = {
  'run-not-started': ({ status, waitsFor, notBefore, limits = [] }, asked) => ({
    sentence: `the run has not started (${status})${limits.map(({ limit, position }) => `: it is number ${position} for ${limit}`).join('') || (waitsFor === undefined ? '' : WAITS_FOR[waitsFor])}${notBefore === undefined ? '' : `; not before ${at(notBefore, asked)}`}`,
  }),
  'run-ended': ({ status, rootCause, code }) => ({
    sentence: `the run ended ${status}${because(rootCause, code)}`,
    step: rootCause,
  }),
  'run-paused': ({ scopes }, asked) => ({
    sentence: `the run is paused${scopes.length === 0 ? pauseDetails(asked) : ` by ${scopes.join(', ')}`}`,
    runSeq: asked.findLast('RunPaused')?.runSeq,
  }),
  'run-cancelling': ({ until, inFlight }, asked) => ({
    sentence: `the run is being cancelled: ${plural(inFlight, 'step')} may still stop by itself, until ${at(until, asked)}`,
  }),
  'run-failing': ({ rootCause, code }) => ({
    sentence: `the run is failing${because(rootCause, code)}: nothing new starts`,
    step: rootCause,
  }),
  'run-held': ({ slot, code }) => ({
    sentence: `the run is held: ${slot} failed with ${code}, and a person must decide`,
    step: slot,
  }),
  'run-undoes': ({ runId }) => ({
    sentence: `this run starts no step: it undoes what run ${shortId(runId)} has finished`,
    runId,
  }),
}

type RunKind = Extract<Cause['kind'], `run-${string}`>

const OF_STEP: { readonly [K in Exclude<Cause['kind'], RunKind>]: Teller<K> } = {
  undoing: ({ slot, attempt, retryAt, byRunId }, asked) => ({
    sentence: `${slot} is being undone${byRun(byRunId)}, attempt ${attempt}${retryAt === undefined ? '' : `; again at ${at(retryAt, asked)}`}`,
    step: slot,
    runId: byRunId,
  }),
  undone: ({ byRunId }) => ({ sentence: `what it did was undone${byRun(byRunId)}`, runId: byRunId }),
  'not-undone': ({ why, attempts, byRunId }) => ({
    sentence:
      why === 'failed'
        ? `what it did could not be undone in ${plural(attempts, 'attempt')}; look at it by hand`
        : 'what it did was not undone: the run was stopped before that; look at it by hand',
    runId: byRunId,
  }),
  'items-undone': ({ undone, failed, total }) => ({
    sentence: `${undone} of ${plural(total, 'item')} were undone${failed === 0 ? '' : `, ${failed} could not be: look at them by hand`}`,
  }),
  succeeded: ({ runSeq }) => ({ sentence: 'it succeeded', runSeq }),
  skipped: () => ({ sentence: 'it was skipped' }),
  running: ({ attempt, maxAttempts, since }, { now }) => ({
    sentence: `it is running, ${attemptOf(attempt, maxAttempts)}, for ${duration(now - since)}`,
  }),
  'waiting-for-person': ({ since, expiresAt, whoMay, refused = [] }, asked) => ({
    sentence: `it waits for a person since ${timeOfDay(since, asked.now)}${whoMay === undefined ? '' : `: ${whoMay}`}${expiresAt === undefined ? '' : `; it expires ${at(expiresAt, asked)}`}${refused.map(({ actorId = 'somebody', why }) => `; ${actorId} was refused: ${why}`).join('')}`,
  }),
  'waiting-until': ({ at: due }, asked) => ({ sentence: `it waits until ${at(due, asked)}` }),
  'waiting-for-event': ({ name, since, key = '', match, expiresAt }, asked) => ({
    sentence: `it waits for the event ${name}${key === '' ? '' : ` with the key ${key}`}${match === undefined ? '' : ` that makes ${match} true`} since ${timeOfDay(since, asked.now)}${expiresAt === undefined ? '' : `; until ${at(expiresAt, asked)}`}`,
  }),
  'waiting-for-worker': ({ queue, handler, since, askedAt }, { now }) => ({
    sentence: `it waits for a worker of the queue ${queue} with the function ${handler} since ${timeOfDay(since, now)}; ${askedAt === undefined ? 'none has asked' : `one last asked at ${timeOfDay(askedAt, now)}`}`,
  }),
  'with-worker': ({ queue, worker, since, until }, { now }) => ({
    sentence: `worker ${worker} of the queue ${queue} has it since ${timeOfDay(since, now)}${until > now ? '' : `; its lease ended at ${timeOfDay(until, now)} without a heartbeat`}`,
  }),
  'waiting-for-child': ({ attempt, since, childRunId }, { now }) => ({
    sentence: `its child run${childRunId === undefined ? '' : ` ${shortId(childRunId)}`} is not done, attempt ${attempt}, for ${duration(now - since)}`,
    runId: childRunId,
  }),
  backoff: ({ attempt, maxAttempts, retryAt, code }, asked) => {
    const runSeq = lastFailureOf(asked)
    return {
      sentence: `${attemptOf(attempt, maxAttempts)} failed with ${failureAt(asked, runSeq, code)}; the next is due at ${at(retryAt, asked)}`,
      runSeq,
    }
  },
  failed: ({ attempt, code, runSeq }, asked) => ({
    sentence: `it failed in attempt ${attempt} with ${failureAt(asked, runSeq, code)}`,
    runSeq,
  }),
  'fallback-failed': ({ attempt, code, runSeq }, asked) => ({
    sentence: `its fallback failed too, in attempt ${attempt} with ${failureAt(asked, runSeq, code)}`,
    runSeq,
  }),
  'item-failed': ({ slot, attempt, code, runSeq, more }, asked) => ({
    sentence: `${slot} failed in attempt ${attempt} with ${failureAt(asked, runSeq, code)}${more === 0 ? '' : `; so did ${plural(more, 'more item')}`}`,
    step: slot,
    runSeq,
  }),
  'ancestor-failed': ({ slot, attempt, code, runSeq }, asked) => ({
    sentence: `${slot}, which it needs, failed in attempt ${attempt} with ${failureAt(asked, runSeq, code)}`,
    step: slot,
    runSeq,
  }),
  indeterminate: ({ attempt, since, runSeq }, asked) => ({
    sentence: `nobody knows whether it happened: attempt ${attempt} began at ${timeOfDay(since, asked.now)}; its effect cannot be undone, so it was not run again`,
    runSeq,
  }),
  'needs-decision': ({ signals }) => ({ sentence: `the run waits until a person decides: ${signals.join(', ')}` }),
  'failure-handled': ({ attempt, code, runSeq }, asked) => ({
    sentence: `it failed in attempt ${attempt} with ${failureAt(asked, runSeq, code)}, and the plan goes on`,
    runSeq,
  }),
  recovered: ({ code }, asked) => {
    const runSeq = lastFailureOf(asked)
    return {
      sentence: `it failed with ${failureAt(asked, runSeq, code)}, and its fallback did the work instead`,
      runSeq,
    }
  },
  items: ({ done, failed, running, total }) => ({
    sentence: `${done} of ${plural(total, 'item')} are done${running === 0 ? '' : `, ${running} in flight`}${failed === 0 ? '' : `, ${failed} failed`}`,
  }),
  dependency: ({ stepId, status }) => ({
    sentence: `${stepId} ${DEPENDENCY[status] ?? `is ${status.toLowerCase()}`}`,
    step: stepId,
  }),
  'no-free-slot': ({ limit, items }) => ({
    sentence: `all ${plural(limit, 'place')} of ${items === true ? 'its items' : 'the run'} are taken`,
  }),
  'waiting-for-grant': ({ pool, wants, used, capacity, waiting, since }, asked) => ({
    sentence: `it wants ${wants} of ${pool} since ${timeOfDay(since, asked.now)}: ${used} of ${capacity} are in use, and ${plural(waiting, 'step')} in line`,
  }),
  'unknown-slot': () => ({ sentence: 'the plan has no such step' }),
  outside: ({ why }) => ({ sentence: why }),
}

const DEPENDENCY: Readonly<Record<string, string>> = {
  PENDING: 'has not started',
  RETRYING: 'failed and will be tried again',
  RUNNING: 'is running',
}

export function tellCause(cause: Cause, asked: Asked): ToldCause {
  const tell = { ...OF_RUN, ...OF_STEP }[cause.kind] as Teller<Cause['kind']>
  return tell(cause as never, asked)
}
