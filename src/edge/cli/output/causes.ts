/** Causes as sentences: why a step is in its state, each with what the log knows about it, and what would move it. */
import { attemptOf } from '../terminal/attempt-text.ts'
import type { LogRecord } from '../../../core/events/event.ts'
import { viewOf } from '../../../core/events/event-views.ts'
import type { PlanGraph } from '../../../core/plan/compile/graph.ts'
import type { Cause } from '../../../core/run/explain/explain.ts'
import type { WayOut } from '../../../core/run/explain/failure.ts'
import { failureAt, type ToldError } from '../progress/picture.ts'
import { eventTold, grantTold, limitsTold, workerTold } from './event-wait.ts'
import { newsTold, peopleTold } from './task-news.ts'
import { countdown, duration, oneLine, plural, shortId, timeOfDay } from '../terminal/format.ts'
import { stepSlotOf } from '../../../core/events/slot-of.ts'

export interface Told {
  readonly sentence: string
  /** Commands that would move it, ready to be typed; the text after # says what for. */
  readonly commands?: readonly string[]
}

export interface Asked {
  readonly run: string
  readonly step: string
  readonly now: number
  readonly records: readonly LogRecord[]
  readonly graph: PlanGraph
  /** Whether `--as` says who types a command. */
  readonly isNamed: boolean
}

type Teller<K extends Cause['kind']> = (cause: Extract<Cause, { kind: K }>, asked: Asked) => Told

/** ` by ana since 13:58:40, "stock count"   (runSeq 41)`, as far as the log tells. */
function pauseDetails({ records }: Asked): string {
  const paused = records.findLast((one) => one.eventType === 'RunPaused')
  if (paused === undefined) return ''
  const { signalId, reason } = viewOf(paused).payload
  const signal = records.find((one) => one.eventType === 'SignalAccepted' && one.payload?.['signalId'] === signalId)
  const actor = signal?.payload?.['actorId']
  const by = typeof actor === 'string' ? ` by ${actor}` : ''
  const why = typeof reason === 'string' && reason !== '' ? `, "${oneLine(reason, 200)}"` : ''
  return `${by} since ${timeOfDay(Date.parse(paused.emittedAt))}${why}   (runSeq ${paused.runSeq})`
}

/** For a run that a migration paused, and may have abandoned: the same command continues it. */
function gateCommands({ records, run }: Asked): readonly string[] | undefined {
  const reason = records.findLast((one) => one.eventType === 'RunPaused')?.payload?.['reason']
  const [, to] = /^migrate to (\w+)$/.exec(typeof reason === 'string' ? reason : '') ?? []
  if (to === undefined) return undefined
  return [`keelson migrate ${run} --to ${to}`, `keelson resume ${run}   # it stays where it is`]
}

/** The person whom the plan asks; where it only excludes people, the user of the command. */
function asPerson({ graph, step, isNamed }: Asked): string {
  if (!isNamed) return ''
  const index = graph.indexOf.get(step.replace(/\[\d+\]$/, ''))
  const asked = index === undefined ? undefined : graph.steps[index]
  if (asked === undefined || !('manual' in asked)) return ''
  const [first] = asked.manual.assignees ?? []
  if (first !== undefined && !first.includes('${')) return ` --as ${word(first)}`
  return first === undefined && asked.manual.rule === undefined ? '' : ' --as "$USER"'
}

/** Quoted for a shell: an item's slot has brackets. */
function word(text: string): string {
  return /^[\w.:-]+$/.test(text) ? text : `'${text}'`
}

/** Of the step itself, or of its fallback. */
function isOf(record: LogRecord, step: string): boolean {
  const slot = stepSlotOf(record)
  return slot === step || slot === `FALLBACK:${step}`
}

/** The last event of the step's compensation. */
function compensationEvent({ records, step }: Asked): LogRecord | undefined {
  return records.findLast((one) => /^Compensation(Completed|Failed)$/.test(one.eventType) && isOf(one, step))
}

const seqOf = (record: LogRecord | undefined): string => (record === undefined ? '' : `   (runSeq ${record.runSeq})`)
const byRun = (runId: string | undefined): string => (runId === undefined ? '' : ` by run ${shortId(runId)}`)
const showRun = (runId: string | undefined): { readonly commands?: readonly string[] } =>
  runId === undefined ? {} : { commands: [`keelson show ${shortId(runId)}`] }
const at = (instant: number, { now }: Asked): string =>
  `${timeOfDay(instant, now)} (${instant > now ? `in ${countdown(instant - now)}` : 'due'})`

const NOT_STARTED = {
  approval: ': it waits in the queue for approval',
  start: ': it is queued until somebody starts it',
  instant: ': it is delayed until its time',
} as const

const TELL: { readonly [K in Cause['kind']]: Teller<K> } = {
  'run-not-started': ({ status, waitsFor, notBefore, limits, ...people }, asked) => ({
    sentence: `the run has not started (${status})${limitsTold(limits) ?? (waitsFor === undefined ? '' : NOT_STARTED[waitsFor])}${notBefore === undefined ? '' : `; not before ${at(notBefore, asked)}`}${peopleTold(people)}`,
    ...(waitsFor === 'start' && limits === undefined ? { commands: [`keelson queue start ${asked.run}`] } : {}),
  }),
  'run-ended': ({ status, rootCause, code }) => ({
    sentence: `the run ended ${status}${rootCause === undefined ? '' : `, because ${rootCause} failed with ${code ?? 'an error'}`}`,
  }),
  'run-paused': ({ scopes }, asked) => ({
    sentence: `the run is paused${scopes.length === 0 ? pauseDetails(asked) : ` by ${scopes.join(', ')}`}`,
    commands: gateCommands(asked) ?? [`keelson resume ${asked.run}`],
  }),
  'run-cancelling': ({ until, inFlight }, asked) => ({
    sentence: `the run is being cancelled: ${plural(inFlight, 'step')} may still stop by itself, until ${at(until, asked)}`,
  }),
  'run-failing': ({ rootCause, code }) => ({
    sentence: `the run is failing${rootCause === undefined ? '' : ` because of ${rootCause} (${code ?? ''})`}: nothing new starts`,
  }),
  'run-held': ({ slot, code }, { run }) => ({
    sentence: `the run is held: ${slot} failed with ${code}, and a person must decide`,
    commands: [`keelson why ${run} ${word(slot)}`],
  }),
  undoing: ({ slot, attempt, retryAt, byRunId }, asked) => ({
    sentence: `${slot} is being undone${byRun(byRunId)}, attempt ${attempt}${retryAt === undefined ? '' : `; again at ${at(retryAt, asked)}`}`,
    ...showRun(byRunId),
  }),
  undone: ({ byRunId }, asked) => ({
    sentence: `what it did was undone${byRun(byRunId)}${seqOf(compensationEvent(asked))}`,
    ...showRun(byRunId),
  }),
  'not-undone': ({ why, attempts, byRunId }, asked) => {
    const event = compensationEvent(asked)
    const error = event?.payload?.['error'] as { readonly code: string } | undefined
    const failure = event === undefined ? 'an error' : failureAt(asked.records, event.runSeq, error?.code ?? '')
    const sentence =
      why === 'failed'
        ? `what it did could not be undone${byRun(byRunId)}: ${plural(attempts, 'attempt')}, ${failure}${seqOf(event)}; look at it by hand`
        : `what it did was not undone${byRun(byRunId)}: the run was stopped before that; look at it by hand`
    return { sentence, ...showRun(byRunId) }
  },
  'items-undone': ({ undone, failed, total }) => ({
    sentence: `${undone} of ${plural(total, 'item')} were undone${failed === 0 ? '' : `, ${failed} could not be: look at them by hand`}`,
  }),
  'run-undoes': ({ runId }) => ({
    sentence: `this run starts no step: it undoes what run ${shortId(runId)} has finished`,
    ...showRun(runId),
  }),
  succeeded: ({ runSeq }) => ({ sentence: `it succeeded (runSeq ${runSeq})` }),
  skipped: (_cause, { records, step }) => {
    const record = records.findLast((one) => one.eventType === 'StepSkipped' && one.stepId === step)
    const reason = record?.payload?.['reason']
    return {
      sentence: `it was skipped${typeof reason === 'string' ? `: ${reason}` : ''}${record === undefined ? '' : `   (runSeq ${record.runSeq})`}`,
    }
  },
  running: ({ attempt, maxAttempts, since }, { now }) => ({
    sentence: `it is running, ${attemptOf(attempt, maxAttempts)}, for ${duration(now - since)}`,
  }),
  'waiting-for-person': ({ since, expiresAt, ...told }, asked) => ({
    sentence: `it ${told.sent === undefined ? 'waits' : 'was completed, and had waited'} for a person since ${timeOfDay(since, asked.now)}${expiresAt === undefined ? '' : `; it expires ${at(expiresAt, asked)}`}${newsTold(told)}${peopleTold(told)}`,
    commands:
      told.sent === undefined
        ? [`keelson complete ${asked.run} ${word(asked.step)} --outcome Succeeded${asPerson(asked)}`]
        : [`keelson resume ${asked.run}`],
  }),
  'waiting-until': ({ at: due }, asked) => ({ sentence: `it waits until ${at(due, asked)}` }),
  'waiting-for-event': (cause, asked) => eventTold(cause, asked.now, (instant) => at(instant, asked), word),
  'waiting-for-child': ({ attempt, since, childRunId }, { now }) => ({
    sentence: `its child run${childRunId === undefined ? '' : ` ${shortId(childRunId)}`} is not done, attempt ${attempt}, for ${duration(now - since)}`,
    ...showRun(childRunId),
  }),
  backoff: ({ attempt, maxAttempts, retryAt, code }, asked) => {
    const failed = asked.records.findLast((one) => one.eventType === 'StepFailed' && isOf(one, asked.step))
    const what = failed === undefined ? code : failureAt(asked.records, failed.runSeq, code)
    return {
      sentence: `${attemptOf(attempt, maxAttempts)} failed with ${what}; the next is due at ${at(retryAt, asked)}`,
    }
  },
  failed: ({ attempt, code, runSeq }, asked) => ({
    sentence: `it ${howFailed(attempt, asked.step, asked)} with ${failureAt(asked.records, runSeq, code)}   (runSeq ${runSeq})`,
  }),
  'fallback-failed': ({ attempt, code, runSeq }, { records }) => ({
    sentence: `its fallback failed too, in attempt ${attempt} with ${failureAt(records, runSeq, code)}   (runSeq ${runSeq})`,
  }),
  'item-failed': ({ slot, attempt, code, runSeq, more }, asked) => ({
    sentence: `${slot} ${howFailed(attempt, slot, asked)} with ${failureAt(asked.records, runSeq, code)}   (runSeq ${runSeq})${more === 0 ? '' : `; so did ${plural(more, 'more item')}`}`,
    // One command names them all.
    commands: [`keelson show ${asked.run} ${word(asked.step)}`],
  }),
  'ancestor-failed': ({ slot, attempt, code, runSeq }, asked) => ({
    sentence: `${slot}, which it needs, ${howFailed(attempt, slot, asked)} with ${failureAt(asked.records, runSeq, code)}   (runSeq ${runSeq})`,
    commands: [`keelson why ${asked.run} ${word(slot)}`],
  }),
  indeterminate: (cause, asked) => ({ sentence: indeterminateText(cause, asked) }),
  'needs-decision': ({ stepId, signals }, asked) => ({
    sentence: 'the run waits until a person decides',
    commands: decisionCommands(stepId, signals, asked),
  }),
  'failure-handled': ({ attempt, code, runSeq }, asked) => ({
    sentence: `it ${howFailed(attempt, asked.step, asked)} with ${failureAt(asked.records, runSeq, code)}, and the plan goes on (onFailure: continue)   (runSeq ${runSeq})`,
  }),
  recovered: ({ code }) => ({ sentence: `it failed with ${code}, and its fallback did the work instead` }),
  items: ({ done, failed, running, total }) => ({
    sentence: `${done} of ${total} items are done${running === 0 ? '' : `, ${running} in flight`}${failed === 0 ? '' : `, ${failed} failed`}`,
  }),
  dependency: ({ stepId, status }, { run }) => ({
    sentence: dependencyText(stepId, status),
    commands: [`keelson why ${run} ${word(stepId)}`],
  }),
  'no-free-slot': ({ limit, items }) => ({
    sentence:
      items === true
        ? `all ${plural(limit, 'place')} for items of its step are taken (forEach.concurrency)`
        : `all ${plural(limit, 'place')} of the run are taken (policy.concurrency)`,
  }),
  'waiting-for-grant': (cause, asked) => ({
    sentence: grantTold(cause, asked.now, (instant) => at(instant, asked)),
    commands: ['keelson resources'],
  }),
  'waiting-for-worker': (cause, { now }) => workerTold(cause, now),
  'with-worker': (cause, { now }) => workerTold(cause, now),
  'unknown-slot': () => ({ sentence: 'the plan has no such step' }),
  outside: ({ why }) => ({ sentence: why }),
}

/** `gave up after 5 of 5 attempts`, or `failed in attempt 1` where others were left or there was only one. */
function howFailed(attempt: number, slot: string, { graph }: Asked): string {
  const most = graph.steps[graph.indexOf.get(slot.replace(/\[\d+\]$/, '')) ?? -1]?.retry.maxAttempts ?? 1
  if (most === 'unlimited' || most === 1 || attempt < most) return `failed in attempt ${attempt}`
  return `gave up after ${attempt} of ${most} attempts`
}

/** What began, when, and what is known of its end: at most the error of its executor. */
function indeterminateText(
  { attempt, since, runSeq }: Extract<Cause, { kind: 'indeterminate' }>,
  asked: Asked,
): string {
  const record = asked.records.find((one) => one.runSeq === runSeq)
  const known = record?.data?.['errorText'] !== undefined
  const how = known ? 'broke off as told' : 'it ran out of time, or its process was gone before it told how it ended'
  return `nobody knows whether it happened: attempt ${attempt} began at ${timeOfDay(since, asked.now)} and ${how}; its effect cannot be undone, so it was not run again`
}

const DECISIONS: Readonly<Record<WayOut, (stepId: string) => string>> = {
  SKIP_STEP: (stepId) => `skip-step --step ${word(stepId)}`,
  RETRY_STEP: (stepId) => `retry-step --step ${word(stepId)}`,
  CANCEL: () => 'cancel',
}
const PURPOSE: Readonly<Record<WayOut, string>> = {
  SKIP_STEP: 'go on without it',
  RETRY_STEP: 'try it again',
  CANCEL: 'give the run up',
}
/** For an effect that may have happened: what a person must know before. */
const PURPOSE_UNKNOWN: Readonly<Record<WayOut, string>> = {
  SKIP_STEP: 'it happened: go on, its output is null',
  RETRY_STEP: 'it did not happen: run it again (--fresh-key where the old key is spent)',
  CANCEL: 'neither: give the run up',
}

function decisionCommands(stepId: string, signals: readonly WayOut[], { run, records }: Asked): readonly string[] {
  const last = records.findLast((one) => one.eventType === 'StepFailed' && isOf(one, stepId))
  const isUnknown = (last?.payload?.['error'] as ToldError | undefined)?.code === 'INDETERMINATE'
  const purposes = isUnknown ? PURPOSE_UNKNOWN : PURPOSE
  return signals.map((signal) => `keelson signal ${run} ${DECISIONS[signal](stepId)}   # ${purposes[signal]}`)
}

function dependencyText(stepId: string, status: string): string {
  if (status === 'PENDING') return `${stepId} has not started`
  if (status === 'RETRYING') return `${stepId} failed and will be tried again`
  return status === 'RUNNING' ? `${stepId} is running` : `${stepId} is ${status.toLowerCase()}`
}

export function tellCause(cause: Cause, asked: Asked): Told {
  return (TELL[cause.kind] as Teller<Cause['kind']>)(cause as never, asked)
}

/** The words between a step's name and the list of its causes. */
export function openingOf(causes: readonly Cause[]): string {
  if (causes.length === 0) return 'starts next: nothing holds it'
  const kinds = new Set(causes.map((cause) => cause.kind))
  const started = [
    'succeeded',
    'skipped',
    'running',
    'waiting-for-person',
    'waiting-until',
    'waiting-for-event',
    'waiting-for-child',
    'items',
  ] as const
  if (kinds.has('undone')) return 'is done, and was undone'
  if (kinds.has('not-undone')) return 'is done, and could not be undone'
  if (kinds.has('undoing') && kinds.has('succeeded')) return 'is done, and is being undone'
  if (kinds.has('succeeded') || kinds.has('recovered')) return 'is done'
  if (kinds.has('skipped')) return 'was skipped'
  if (kinds.has('failed')) return 'has failed'
  if (kinds.has('backoff')) return 'will be tried again'
  return started.some((kind) => kinds.has(kind)) ? 'is not done yet' : 'has not started, because'
}
