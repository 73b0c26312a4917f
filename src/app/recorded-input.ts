/**
 * The input that caused a recorded decision, read back from its events and its cause (P-14): every event carries what it
 * was decided on. What an event only repeats of the outside (an outcome's content, who was allowed) is taken as told.
 */
import { bitMembers } from '../core/collections/bit-tree.ts'
import { vectorGet } from '../core/collections/vector.ts'
import type { ArtifactRef, EventData, ForeignRecord, Payload } from '../core/events/event.ts'
import { compensationSlot } from '../core/events/slot.ts'
import { engineTypeOf } from '../core/run/engines.ts'
import type { InputBody, ReusedResult, StartDetails, StartLater } from '../core/run/input.ts'
import type { RunState } from '../core/run/state.ts'
import { isTerminalRun } from '../core/run/transitions.ts'
import {
  countsElapsedTime,
  nextAbsolute,
  nextRelative,
  nextTimer,
  timerText,
  type DueTimer,
} from '../core/run/timers.ts'
import { isFanParent, kindOfUnit, locate, slotOfUnit } from '../core/run/units.ts'
import { msFromIso } from '../core/time.ts'
import { childRunId } from './child-end.ts'
import { recordedSlot, type RecordedDecision } from './recorded-decision.ts'
import { childReportOf, recordedOutcome, reportOfCause } from './recorded-outcome.ts'
import { recordedSignal } from './recorded-signal.ts'
import { undoneChild } from './undo-run-id.ts'

export type RecordedInput =
  | { readonly kind: 'input'; readonly body: InputBody }
  /** The cause itself does not follow from the state before: the timer was not due, the child is nobody's. */
  | { readonly kind: 'contradiction'; readonly expected: string }
  /** Written by something that was no decision of this decider. */
  | { readonly kind: 'outside'; readonly why: string }

type Fields = Readonly<Record<string, unknown>>

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
  approve: ({ records }) => ({ kind: 'approve', approvedBy: String(records[0]?.payload?.['approvedBy'] ?? '') }),
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

function payloadOf(record: ForeignRecord | undefined): Fields {
  return record?.payload ?? {}
}

function ofType(records: readonly ForeignRecord[], eventType: string): ForeignRecord | undefined {
  return records.find((record) => record.eventType === eventType)
}

function admitInput({ records }: RecordedDecision): InputBody {
  const queued = ofType(records, 'RunQueued')
  const validated = ofType(records, 'RunValidated')
  const { inputRef } = payloadOf(records[0]) as Payload<'RunApproved'>
  const runInput = records[0]?.data?.['input']
  const notBefore = msFromIso(String(payloadOf(queued)['notBefore'] ?? ''))
  const forStart = forStartOf(payloadOf(queued ?? ofType(records, 'RunApproved')))
  const { inputRef: _ref, ...report } = payloadOf(validated) as Payload<'RunValidated'>
  const isRefused = report.status === 'ERRORS'
  return {
    kind: 'admit',
    policy: queued === undefined ? 'START' : (payloadOf(queued) as Payload<'RunQueued'>).policy,
    autoApprove: isRefused || queued === undefined || ofType(records, 'RunApproved') !== undefined,
    ...(notBefore === undefined ? {} : { notBefore }),
    ...(runInput === undefined ? {} : { runInput }),
    ...(inputRef === undefined ? {} : { inputRef }),
    ...(forStart === undefined ? {} : { forStart }),
    ...(validated === undefined ? {} : { report }),
  }
}

function forStartOf(payload: Fields): StartLater | undefined {
  const { correlationId, triggerSource } = payload as Partial<Payload<'RunQueued'>>
  if (correlationId === undefined && triggerSource === undefined) return undefined
  return {
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(triggerSource === undefined ? {} : { triggerSource }),
  }
}

function startInput({ records }: RecordedDecision): InputBody {
  const started = ofType(records, 'RunStarted')
  if (started === undefined) {
    const text = ofType(records, 'RunFailed')?.data?.['errorText'] as { readonly message: string } | undefined
    return { kind: 'start', details: {} as StartDetails, integrityFailure: { message: text?.message ?? '' } }
  }
  const {
    status: _status,
    startedAt: _at,
    epoch: _epoch,
    runTimeoutAt: _until,
    ...details
  } = payloadOf(started) as Payload<'RunStarted'>
  const expanded = new Set(records.filter((one) => one.eventType === 'FanOutExpanded').map(recordedSlot))
  const reuse = records.filter(
    (one) =>
      payloadOf(one)['reusedFrom'] !== undefined &&
      (TAKEN_OVER_BY.has(one.eventType) || (one.eventType === 'StepCompleted' && expanded.has(recordedSlot(one)))),
  )
  const paused = ofType(records, 'RunPaused')
  const { scope, reason } = payloadOf(paused) as Payload<'RunPaused'>
  return {
    kind: 'start',
    details,
    ...(reuse.length === 0 ? {} : { reuse: reuse.map((one) => reusedResult(one, records)) }),
    ...(paused === undefined ? {} : { pausedBy: { scope: scope ?? '', ...(reason === undefined ? {} : { reason }) } }),
  }
}

/** Each result that a fork takes over begins with one of these; a fan-out of which it took the items has an end of its own. */
const TAKEN_OVER_BY: ReadonlySet<string> = new Set(['StepStarted', 'StepSkipped'])

function reusedResult(started: ForeignRecord, records: readonly ForeignRecord[]): ReusedResult {
  const slot = recordedSlot(started)
  const completed = records.find((one) => one.eventType === 'StepCompleted' && recordedSlot(one) === slot)
  const { reusedFrom } = payloadOf(started) as Payload<'StepStarted'>
  const expanded =
    started.eventType === 'StepCompleted'
      ? undefined
      : records.find((one) => one.eventType === 'FanOutExpanded' && recordedSlot(one) === slot)
  const { artifactRefs, resultRef, captures } = payloadOf(completed) as Partial<Payload<'StepCompleted'>>
  return {
    slot,
    runId: reusedFrom?.runId ?? '',
    runSeq: reusedFrom?.runSeq ?? 0,
    ownerRunId: reusedFrom?.ownerRunId ?? '',
    ...(reusedFrom?.attempt === undefined ? {} : { attempt: reusedFrom.attempt }),
    ...(expanded === undefined ? {} : { items: payloadOf(expanded) as Payload<'FanOutExpanded'> }),
    artifactRefs: (artifactRefs ?? []) as readonly ArtifactRef[],
    ...(completed?.data === undefined ? {} : { data: completed.data as EventData }),
    ...(resultRef === undefined ? {} : { resultRef }),
    ...(captures === undefined ? {} : { captures }),
    ...(started.eventType === 'StepSkipped' ? { skipped: { reason: String(payloadOf(started)['reason']) } } : {}),
  }
}

/** A begin-claim of an irreversible attempt shows only in what adoption made of it. */
function isClaim(record: ForeignRecord, state: RunState): boolean {
  const { error, forced } = payloadOf(record) as Partial<Payload<'StepFailed'>>
  const unit = locate(state, recordedSlot(record))?.unit
  const isForced = record.eventType === 'StepFailed' && forced === true && error?.code === 'INDETERMINATE'
  return isForced && unit !== undefined && !isFanParent(state.graph, unit)
}

function claimOf(record: ForeignRecord): { slot: string; attempt: number } {
  return { slot: recordedSlot(record), attempt: record.logicalAttemptId }
}

function outcomeInput(decision: RecordedDecision, state: RunState): RecordedInput {
  const report = reportOfCause(decision.cause)
  if (report === undefined)
    return { kind: 'contradiction', expected: 'a cause that names slot, attempt, engine attempt' }
  const outcome = recordedOutcome(decision.records[0], report, state)
  const stale = cameTooLate(decision.records[0], report, state)
  return { kind: 'input', body: { kind: 'outcome', ...report, outcome, ...(stale ? { stale } : {}) } }
}

/** Recorded as late while its attempt was still open: it came from a driver that had lost the run. */
function cameTooLate(
  record: ForeignRecord | undefined,
  { slot, attempt }: { readonly slot: string; readonly attempt: number },
  state: RunState,
): boolean {
  const hook = state.undo?.current
  const about = hook !== undefined && compensationSlot(hook.slot) === slot ? hook : locate(state, slot)?.unit
  const isOpen = about?.status === 'RUNNING' && about.attempt === attempt && !isTerminalRun(state.status)
  return isOpen && record?.eventType === 'LateOutcomeRecorded'
}

/** A child's id is derived from the attempt that started it, so its end can be laid to no other (P-29). */
function childInput(child: string, decision: RecordedDecision, state: RunState): InputBody {
  const [first] = decision.records
  const runId = first?.runId ?? ''
  const told = childReportOf(first)
  const isIts = told !== undefined && runIdAt(runId, told, state) === child
  const report = isIts ? told : openChild(child, runId, state)
  if (report === undefined) return { kind: 'continue', cause: decision.cause, facts: new Map() }
  const outcome = recordedOutcome(isIts ? first : undefined, report, state)
  return { kind: 'child', ...report, childRunId: child, outcome }
}

/** The child of a plan step's attempt, or the run that undoes one. */
function runIdAt(runId: string, { slot, attempt }: { slot: string; attempt: number }, state: RunState): string {
  return undoneChild(runId, state, slot)?.undoRunId ?? childRunId(runId, slot, attempt)
}

function openChild(child: string, runId: string, state: RunState): { slot: string; attempt: number } | undefined {
  const current = state.undo?.current
  const undone = current === undefined ? undefined : compensationSlot(current.slot)
  if (current !== undefined && undone !== undefined && undoneChild(runId, state, undone)?.undoRunId === child)
    return { slot: undone, attempt: current.attempt }
  for (const index of bitMembers(state.inFlight)) {
    const unit = vectorGet(state.units, index)
    if (unit === undefined || kindOfUnit(state.graph, unit) !== 'plan') continue
    const slot = slotOfUnit(state.graph, unit)
    if (childRunId(runId, slot, unit.attempt) === child) return { slot, attempt: unit.attempt }
  }
  return undefined
}

/** A pause of a wider scope that changed nothing here leaves only what followed from the state anyway. */
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
 * While a run's time goes by elapsed time and the wall clock was set, instants meant by the wall clock come due by that one,
 * which the log does not have: earlier or later than their turn. Of a run that rests both clocks are the same.
 */
function apartFromTheWall(cause: string, now: number, state: RunState): DueTimer | undefined {
  const relative = firedTimer(nextRelative(state), cause, now, state)
  if (relative !== undefined || !countsElapsedTime(state)) return relative
  const absolute = nextAbsolute(state)
  return absolute !== undefined && textOf(absolute, state) === cause ? absolute : undefined
}

/** A retry that waits for a grant does not keep later timers from firing. */
function behindHeldRetries({ timer, dueAt }: DueTimer, state: RunState): DueTimer | undefined {
  const isRetry = typeof timer !== 'string' && timer.kind === 'retry'
  return isRetry && state.graph.anyWants ? nextTimer(state, dueAt) : undefined
}

function textOf({ timer }: DueTimer, state: RunState): string {
  return `timer:${typeof timer === 'string' ? timer : timerText(state, timer)}`
}
