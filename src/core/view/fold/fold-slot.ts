/**
 * One step event on one slot. The transition table alone says what is legal; in addition there are the reader's rules
 * for logs that arrive out of order: the first terminal event of an attempt wins, a late start never reopens it
 * an older attempt never changes a newer one (PRJ-21).
 */
import type { LogRecord } from '../../events/event.ts'
import { attemptTransition, isTerminalAttempt, type AttemptStatus } from '../../run/state/transitions.ts'
import { artifactsOf, errorOf, eventMs, eventTime, fieldsOf, textOf } from './reading.ts'
import type { AttemptFold, Moment, SlotFold } from './run-view.ts'
import { latestAttempt } from './slot-facts.ts'
import { enterPhase } from './time-split.ts'

/**
 * `early`: a terminal event without its start, applied all the same. `late`: a start after the end, which only fills in
 * times. `refused`: ignored for the state.
 */
export interface SlotChange {
  readonly kind: 'applied' | 'early' | 'late' | 'duplicate' | 'refused'
  readonly slot: SlotFold
  readonly prior: AttemptStatus
}

export function foldSlot(slot: SlotFold, record: LogRecord, at: Moment): SlotChange {
  const known = slot.attempts.find((one) => one.attempt === record.logicalAttemptId)
  const attempt = known ?? newAttempt(record.logicalAttemptId, record.engineAttemptId)
  const prior = attempt.status
  const target = attemptTransition(prior, record.eventType)
  if (target !== undefined) return { kind: 'applied', slot: moved(slot, attempt, target, record, at), prior }
  if (record.eventType === 'StepStarted') return { ...lateStart(slot, attempt, record), prior }
  const early = prior === 'PENDING' ? attemptTransition('RUNNING', record.eventType) : undefined
  if (early !== undefined) return { kind: 'early', slot: moved(slot, attempt, early, record, at), prior }
  return { kind: isRepeat(prior, record.eventType) ? 'duplicate' : 'refused', slot, prior }
}

/** The next attempt, opened by an accepted RETRY_STEP and not yet started (SSM-22). */
export function openAttempt(slot: SlotFold, signalId: string, at: Moment): SlotFold {
  const last = latestAttempt(slot)
  if (last?.status !== 'FAILED' || slot.retrySignalId === signalId) return slot
  const waiting = enterPhase(slot, at, 'retry')
  const attempts = [...slot.attempts, newAttempt(last.attempt + 1, 1)]
  return { ...waiting, attempts, settled: undefined, retrySignalId: signalId }
}

/** The manual task of an attempt is open. */
export function awaitPerson(slot: SlotFold, attempt: number | undefined, at: Moment): SlotFold {
  const last = latestAttempt(slot)
  if (last?.status !== 'RUNNING' || last.waitsFor === 'person' || last.attempt !== (attempt ?? last.attempt))
    return slot
  return enterPhase({ ...slot, attempts: put(slot.attempts, { ...last, waitsFor: 'person' }) }, at, 'human')
}

function newAttempt(attempt: number, engineAttempt: number): AttemptFold {
  return {
    attempt,
    status: 'PENDING',
    engineAttempt,
    startedAt: undefined,
    begunMs: undefined,
    completedAt: undefined,
    endedMs: undefined,
    artifacts: [],
    error: undefined,
    final: false,
    retryAt: undefined,
    reason: undefined,
    reasonCode: undefined,
    mayHaveRunTwice: false,
    fallbackNext: false,
    waitsFor: undefined,
  }
}

function moved(slot: SlotFold, from: AttemptFold, status: AttemptStatus, record: LogRecord, at: Moment): SlotFold {
  const attempt = isTerminalAttempt(status) ? ended(from, status, record) : begun(from, status, record)
  const attempts = put(slot.attempts, attempt)
  const isLatest = attempts.at(-1) === attempt
  if (!isLatest) return { ...slot, attempts }
  if (!isTerminalAttempt(status)) return enterPhase({ ...slot, attempts, settled: undefined }, at, 'running')
  if (status !== 'FAILED') return { ...enterPhase(slot, at, undefined), attempts, settled: at }
  if (attempt.fallbackNext || attempt.handled === true)
    return { ...enterPhase(slot, at, undefined), attempts, settled: at }
  const next = enterPhase(slot, at, attempt.final ? 'human' : 'retry')
  return { ...next, attempts, settled: attempt.final ? at : undefined }
}

function begun(from: AttemptFold, status: AttemptStatus, record: LogRecord): AttemptFold {
  const payload = fieldsOf(record.payload)
  const waits = payload['waitUntil'] !== undefined || payload['waitForMs'] !== undefined
  return {
    ...from,
    status,
    engineAttempt: Math.max(from.engineAttempt, record.engineAttemptId),
    startedAt: textOf(payload, 'startedAt') ?? eventTime(record),
    begunMs: eventMs(record),
    waitsFor: waits ? 'time' : undefined,
  }
}

function ended(from: AttemptFold, status: AttemptStatus, record: LogRecord): AttemptFold {
  const payload = fieldsOf(record.payload)
  const when = textOf(payload, 'completedAt') ?? textOf(payload, 'failedAt') ?? textOf(payload, 'skippedAt')
  const failed = status === 'FAILED'
  return {
    ...from,
    status,
    engineAttempt: Math.max(from.engineAttempt, record.engineAttemptId),
    completedAt: when ?? eventTime(record),
    endedMs: eventMs(record),
    artifacts: artifactsOf(payload),
    error: failed ? errorOf(record) : undefined,
    final: !failed || payload['final'] !== false,
    fallbackNext: failed && payload['fallback'] === true,
    retryAt: failed ? textOf(payload, 'retryAt') : undefined,
    reason: textOf(payload, 'reason'),
    reasonCode: textOf(payload, 'reasonCode'),
    mayHaveRunTwice: payload['mayHaveRunTwice'] === true,
    waitsFor: undefined,
    ...(failed && payload['handled'] === true ? { handled: true as const } : {}),
  }
}

function lateStart(slot: SlotFold, attempt: AttemptFold, record: LogRecord): Pick<SlotChange, 'kind' | 'slot'> {
  if (attempt.begunMs !== undefined) return { kind: 'duplicate', slot }
  if (attempt.status === 'SKIPPED') return { kind: 'refused', slot }
  const { startedAt, begunMs } = begun(attempt, attempt.status, record)
  return { kind: 'late', slot: { ...slot, attempts: put(slot.attempts, { ...attempt, startedAt, begunMs }) } }
}

/** A repeat of the event that brought the attempt into its state. */
function isRepeat(status: AttemptStatus, eventType: string): boolean {
  return attemptTransition(eventType === 'StepSkipped' ? 'PENDING' : 'RUNNING', eventType) === status
}

function put(attempts: readonly AttemptFold[], attempt: AttemptFold): readonly AttemptFold[] {
  const last = attempts.at(-1)
  if (last === undefined || last.attempt < attempt.attempt) return [...attempts, attempt]
  const others = attempts.filter((one) => one.attempt !== attempt.attempt)
  const at = others.findIndex((one) => one.attempt > attempt.attempt)
  return at < 0 ? [...others, attempt] : [...others.slice(0, at), attempt, ...others.slice(at)]
}
