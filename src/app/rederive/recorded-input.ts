/**
 * Reads the input of a recorded decision back from its events and its cause (P-14): every event carries what it was
 * decided on. Content from outside that an event only repeats (an outcome, a permission) is trusted.
 */
import { bitMembers } from '../../core/collections/bit-tree.ts'
import { vectorGet } from '../../core/collections/vector.ts'
import type { LogRecord, Payload } from '../../core/events/event.ts'
import { compensationSlot } from '../../core/events/slot.ts'
import { engineTypeOf } from '../../core/engine/engine-type.ts'
import type { InputBody } from '../../core/run/input.ts'
import type { RunState } from '../../core/run/state/state.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import {
  countsElapsedTime,
  nextAbsolute,
  nextRelative,
  nextTimer,
  timerText,
  type DueTimer,
} from '../../core/run/state/timers.ts'
import { isFanParent, kindOfUnit, locate, slotOfUnit } from '../../core/run/state/units.ts'
import { childRunId } from '../log/derived-uuid.ts'
import { payloadOf, recordedSlot, type RecordedDecision } from './recorded-decision.ts'
import { childReportOf, recordedOutcome, reportOfCause } from './recorded-outcome.ts'
import { refusedCompletion } from './recorded-refusal.ts'
import { recordedSignal } from './recorded-signal.ts'
import { admitInput, approveInput, startInput } from './recorded-start.ts'
import { compensatedChild } from '../loaded/compensation-run-id.ts'

export type RecordedInput =
  | { readonly kind: 'input'; readonly body: InputBody }
  /** The cause itself does not follow from the previous state: the timer was not due, the child has no parent step. */
  | { readonly kind: 'contradiction'; readonly expected: string }
  /** Not written by a decision of this decider. */
  | { readonly kind: 'outside'; readonly why: string }

export function recordedInput(decision: RecordedDecision, state: RunState): RecordedInput {
  const { cause, records } = decision
  const [first] = records
  const colon = cause.indexOf(':')
  const rest = cause.slice(colon + 1)
  switch (colon < 0 ? cause : cause.slice(0, colon)) {
    case 'outcome':
      return outcomeInput(decision, state)
    case 'signal':
      return { kind: 'input', body: recordedSignal(rest, records) }
    case 'timer':
      return timerInput(decision, state)
    case 'child':
      return { kind: 'input', body: childInput(rest, decision, state) }
    case 'scope':
      return { kind: 'input', body: scopeInput(rest, decision) }
    case 'event':
      return { kind: 'input', body: eventInput(rest, decision, state) }
    case 'grant':
      return { kind: 'input', body: { kind: 'grant', slot: rest } }
    case 'cut':
      return { kind: 'input', body: { kind: 'continue', cause, facts: new Map() } }
    default: {
      const read = Object.hasOwn(READERS, cause) ? READERS[cause] : undefined
      if (read === undefined || first === undefined)
        return { kind: 'outside', why: `its cause '${cause}' is none of this decider's` }
      return { kind: 'input', body: read(decision, state) }
    }
  }
}

const READERS: { readonly [cause: string]: (decision: RecordedDecision, state: RunState) => InputBody } = {
  admit: admitInput,
  approve: approveInput,
  start: startInput,
  adopt: ({ records }, state) => ({ kind: 'adopt', claims: records.filter((one) => isClaim(one, state)).map(claimOf) }),
  handoff: ({ records }, state) => {
    const { epoch: _epoch, ...target } = payloadOf(records[0]) as Payload<'EngineHandoff'>
    return { kind: 'handoff', payload: { ...target, fromEngine: engineTypeOf(state.engineType) } }
  },
  upgrade: ({ records }) => ({ kind: 'upgrade', to: Number(payloadOf(records[0])['to']) }),
  fork: ({ records }) => ({ kind: 'fork', payload: payloadOf(records[0]) as Payload<'RunForked'> }),
  erase: ({ records }) => {
    const notes = records[0]?.data?.['notes']
    const payload = payloadOf(records[0]) as Payload<'ErasureRecorded'>
    return { kind: 'erase', payload, ...(typeof notes === 'string' ? { notes } : {}) }
  },
}

/** A begin-claim of an irreversible attempt shows only in the events of an adoption. */
function isClaim(record: LogRecord, state: RunState): boolean {
  const { error, forced } = payloadOf(record) as Partial<Payload<'StepFailed'>>
  const unit = locate(state, recordedSlot(record))?.unit
  const isForced = record.eventType === 'StepFailed' && forced === true && error?.code === 'INDETERMINATE'
  return isForced && unit !== undefined && !isFanParent(state.graph, unit)
}

function claimOf(record: LogRecord): { slot: string; attempt: number } {
  return { slot: recordedSlot(record), attempt: record.logicalAttemptId }
}

function outcomeInput(decision: RecordedDecision, state: RunState): RecordedInput {
  const report = reportOfCause(decision.cause)
  if (report === undefined)
    return { kind: 'contradiction', expected: 'a cause that names slot, attempt, engine attempt' }
  const refused = refusedCompletion(decision.records[0], report.slot)
  if (refused !== undefined) return { kind: 'input', body: { kind: 'outcome', ...report, ...refused } }
  const outcome = recordedOutcome(decision.records[0], report, state)
  const stale = cameTooLate(decision.records[0], report, state)
  return { kind: 'input', body: { kind: 'outcome', ...report, outcome, ...(stale ? { stale } : {}) } }
}

/** Recorded as late while its attempt was still open: it came from a driver that had lost the run. */
function cameTooLate(
  record: LogRecord | undefined,
  { slot, attempt }: { readonly slot: string; readonly attempt: number },
  state: RunState,
): boolean {
  const current = state.compensation?.current
  const about = current !== undefined && compensationSlot(current.slot) === slot ? current : locate(state, slot)?.unit
  const isOpen = about?.status === 'RUNNING' && about.attempt === attempt && !isTerminalRun(state.status)
  return isOpen && record?.eventType === 'LateOutcomeRecorded'
}

/** A child's id is derived from the attempt that started it, so its end belongs to no other (P-29). */
function childInput(child: string, decision: RecordedDecision, state: RunState): InputBody {
  const [first] = decision.records
  const runId = first?.runId ?? ''
  const told = childReportOf(first)
  const isIts = told !== undefined && runIdAt(runId, told, state) === child
  const report = isIts ? told : openChild(child, runId, state)
  if (report === undefined) return { kind: 'continue', cause: decision.cause, facts: new Map() }
  const outcome = recordedOutcome(isIts ? first : undefined, report, state)
  const { people } = (isIts ? payloadOf(first) : {}) as Partial<Payload<'StepCompleted'>>
  return { kind: 'child', ...report, childRunId: child, outcome, ...(people === undefined ? {} : { people }) }
}

/** An event that ended no wait leaves only what followed from the state anyway. */
function eventInput(eventId: string, { cause, records }: RecordedDecision, state: RunState): InputBody {
  const [first] = records
  const received = (payloadOf(first) as Partial<Payload<'StepCompleted'>>).receivedEvent
  if (first === undefined || received?.id !== eventId) return { kind: 'continue', cause, facts: new Map() }
  const at = { slot: recordedSlot(first), attempt: first.logicalAttemptId }
  return { kind: 'event', eventId, sentAt: received.sentAt, ...at, outcome: recordedOutcome(first, at, state) }
}

/** The child of a plan step's attempt, or the run that undoes one. */
function runIdAt(runId: string, { slot, attempt }: { slot: string; attempt: number }, state: RunState): string {
  return compensatedChild(runId, state, slot)?.compensationRunId ?? childRunId(runId, slot, attempt)
}

function openChild(child: string, runId: string, state: RunState): { slot: string; attempt: number } | undefined {
  const current = state.compensation?.current
  const undone = current === undefined ? undefined : compensationSlot(current.slot)
  if (
    current !== undefined &&
    undone !== undefined &&
    compensatedChild(runId, state, undone)?.compensationRunId === child
  )
    return { slot: undone, attempt: current.attempt }
  for (const index of bitMembers(state.inFlight)) {
    const unit = vectorGet(state.units, index)
    if (unit === undefined || kindOfUnit(state.graph, unit) !== 'plan') continue
    const slot = slotOfUnit(state.graph, unit)
    if (childRunId(runId, slot, unit.attempt) === child) return { slot, attempt: unit.attempt }
  }
  return undefined
}

/** A pause of a wider scope that changed nothing here leaves only events that followed from the state anyway. */
function scopeInput(pauseId: string, { cause, records }: RecordedDecision): InputBody {
  const [first] = records
  const { scope, reason } = payloadOf(first) as Payload<'RunPaused'>
  const active = first?.eventType === 'RunPaused'
  if (scope === undefined || (!active && first?.eventType !== 'RunResumed'))
    return { kind: 'continue', cause, facts: new Map() }
  return { kind: 'scope', pauseId, scope, active, ...(reason === undefined ? {} : { reason }) }
}

function timerInput({ cause, now }: RecordedDecision, state: RunState): RecordedInput {
  const due = firedTimer(nextTimer(state), cause, now, state) ?? apartFromTheWall(cause, now, state)
  if (due !== undefined) return { kind: 'input', body: { kind: 'timer', timer: due.timer } }
  const next = nextTimer(state)
  const expected =
    next === undefined ? 'no timer to be due' : `${textOf(next, state)} at ${new Date(next.dueAt).toISOString()}`
  return { kind: 'contradiction', expected }
}

function firedTimer(first: DueTimer | undefined, cause: string, now: number, state: RunState): DueTimer | undefined {
  let due = first
  for (; due !== undefined && due.dueAt <= now && textOf(due, state) !== cause;) due = behindHeldRetries(due, state)
  return due !== undefined && due.dueAt <= now ? due : undefined
}

/**
 * After the wall clock was set, a run uses elapsed time, but instants meant by the wall clock come due by the wall
 * clock, which the log does not have: earlier or later than expected. For an idle run both clocks are the same.
 */
function apartFromTheWall(cause: string, now: number, state: RunState): DueTimer | undefined {
  const relative = firedTimer(nextRelative(state), cause, now, state)
  if (relative !== undefined || !countsElapsedTime(state)) return relative
  const absolute = nextAbsolute(state)
  return absolute !== undefined && textOf(absolute, state) === cause ? absolute : undefined
}

/** A retry that waits for a grant does not delay later timers. */
function behindHeldRetries({ timer, dueAt }: DueTimer, state: RunState): DueTimer | undefined {
  const isRetry = typeof timer !== 'string' && timer.kind === 'retry'
  return isRetry && state.graph.anyWants ? nextTimer(state, dueAt) : undefined
}

function textOf({ timer }: DueTimer, state: RunState): string {
  return `timer:${typeof timer === 'string' ? timer : timerText(state, timer)}`
}
