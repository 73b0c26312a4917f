/**
 * Reads the report of an executor, a person or a child run back from its event. Parts that were replaced on the way (an
 * error while the run was being stopped) need not be known: the decider replaces them again.
 */
import type { ArtifactRef, ErrorInfo, EventData, LogRecord, Payload } from '../../core/events/event.ts'
import { lateSlot } from '../../core/events/slot.ts'
import type { Outcome } from '../../core/run/input.ts'
import type { RunState } from '../../core/run/state/state.ts'
import { kindOfUnit, locate } from '../../core/run/state/units.ts'
import { recordedSlot } from './recorded-decision.ts'

/** A report that decided nothing by itself: only whether it had to decide something can be checked. */
const SILENT: Outcome = {
  kind: 'failed',
  error: { code: 'UNRECORDED', retryable: false, errorClass: 'permanent' },
}

export function recordedOutcome(
  record: LogRecord | undefined,
  report: { readonly slot: string; readonly attempt: number },
  state: RunState,
): Outcome {
  const { slot, attempt } = report
  if (record === undefined) return SILENT
  const at = recordedSlot(record)
  const isLate = record.eventType === 'LateOutcomeRecorded' && at === lateSlot(slot, attempt)
  if (!isLate && (at !== slot || record.logicalAttemptId !== attempt)) return SILENT
  const payload = record.payload ?? {}
  const data = record.data === undefined ? {} : { data: record.data as EventData }
  switch (record.eventType) {
    case 'StepCompleted': {
      const { completedAt: _at, mayHaveRunTwice: _twice, reusedFrom: _from, people: _people, ...others } = payload
      // Only an event from outside leaves it, and its decision writes it anew.
      const { receivedEvent: _event, ...rest } = others
      return { kind: 'completed', payload: rest as Payload<'RunCompleted'>, ...data }
    }
    case 'CompensationCompleted': {
      const buildId = payload['buildId'] as string | undefined
      return {
        kind: 'completed',
        payload: { artifactRefs: [], ...(buildId === undefined ? {} : { buildId }) },
        ...data,
      }
    }
    case 'LateOutcomeRecorded':
      if (payload['outcome'] === 'completed') return { kind: 'completed', payload: { artifactRefs: [] }, ...data }
      return { kind: 'failed', error: payload['error'] as ErrorInfo, ...data }
    case 'CompensationFailed':
      return { kind: 'failed', error: payload['error'] as ErrorInfo, ...data }
    case 'StepFailed':
      return { ...failureOf(payload as Payload<'StepFailed'>), ...byPerson(record, slot, state), ...data }
    default:
      return SILENT
  }
}

function failureOf(payload: Payload<'StepFailed'>): Extract<Outcome, { kind: 'failed' }> {
  const { error, artifactRefs, durationMs, buildId, actorId, actorRoles, evidenceRefs } = payload
  return {
    kind: 'failed',
    error,
    ...(artifactRefs === undefined ? {} : { artifactRefs: artifactRefs as readonly ArtifactRef[] }),
    ...(durationMs === undefined ? {} : { durationMs }),
    ...(buildId === undefined ? {} : { buildId }),
    ...(actorId === undefined ? {} : { actorId }),
    ...(actorRoles === undefined ? {} : { actorRoles }),
    ...(evidenceRefs === undefined ? {} : { evidenceRefs }),
  }
}

const PERSONS_WORDS: ReadonlySet<unknown> = new Set(['MANUAL_FAILED', 'MANUAL_CANCELLED'])

/** Only a person's answer to a manual task is final by itself (MAN-09); it may also be unusable. */
function byPerson(record: LogRecord, slot: string, state: RunState): { final?: true } {
  const unit = locate(state, slot)?.unit
  const isManual = unit !== undefined && kindOfUnit(state.graph, unit) === 'manual'
  const { error, actorId } = (record.payload ?? {}) as Partial<Payload<'StepFailed'>>
  return isManual && actorId !== undefined && PERSONS_WORDS.has(error?.code) ? { final: true } : {}
}

/** `outcome:<slot>:<attempt>:<engineAttempt>`; a slot may hold colons itself. */
export function reportOfCause(
  cause: string,
): { readonly slot: string; readonly attempt: number; readonly engineAttempt: number } | undefined {
  const match = /^outcome:(.+):(\d+):(\d+)$/.exec(cause)
  if (match?.[1] === undefined) return undefined
  return { slot: match[1], attempt: Number(match[2]), engineAttempt: Number(match[3]) }
}

/** The plan step of an ended child, as its event names it; undefined when the end decided nothing. */
export function childReportOf(
  record: LogRecord | undefined,
): { readonly slot: string; readonly attempt: number } | undefined {
  const types = ['StepCompleted', 'StepFailed', 'CompensationCompleted', 'CompensationFailed', 'LateOutcomeRecorded']
  if (record === undefined || !types.includes(record.eventType)) return undefined
  const slot = recordedSlot(record)
  if (record.eventType !== 'LateOutcomeRecorded') return { slot, attempt: record.logicalAttemptId }
  return { slot: slot.slice('LATE:'.length, slot.lastIndexOf(':')), attempt: Number(record.payload?.['attempt']) }
}
