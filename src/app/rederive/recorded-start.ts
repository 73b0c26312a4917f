/** Reads the beginning of a run back from its first events: its admission, an approval in the queue, and its start. */
import type { ArtifactRef, EventData, LogRecord, Payload } from '../../core/events/event.ts'
import type { InputBody, ReusedResult, StartDetails, StartLater } from '../../core/run/input.ts'
import { msFromIso } from '../../core/time.ts'
import { ofType, payloadOf, recordedSlot, type Fields, type RecordedDecision } from './recorded-decision.ts'

export function admitInput({ records }: RecordedDecision): InputBody {
  const queued = ofType(records, 'RunQueued')
  const validated = ofType(records, 'RunValidated')
  const { inputRef, origin } = payloadOf(records[0]) as Payload<'RunApproved'>
  const runInput = records[0]?.data?.['input']
  const notBefore = msFromIso(String(payloadOf(queued)['notBefore'] ?? ''))
  const forStart = forStartOf(payloadOf(queued ?? ofType(records, 'RunApproved')))
  const { inputRef: _ref, origin: _origin, ...report } = payloadOf(validated) as Payload<'RunValidated'>
  const isRefused = report.status === 'ERRORS'
  const isApproved = isRefused || queued === undefined || ofType(records, 'RunApproved') !== undefined
  return {
    kind: 'admit',
    policy: queued === undefined ? 'START' : (payloadOf(queued) as Payload<'RunQueued'>).policy,
    autoApprove: payloadOf(queued)['autoApprove'] === true ? 'at-start' : isApproved,
    ...(notBefore === undefined ? {} : { notBefore }),
    ...(runInput === undefined ? {} : { runInput }),
    ...(inputRef === undefined ? {} : { inputRef }),
    ...(origin === undefined ? {} : { origin }),
    ...(forStart === undefined ? {} : { forStart }),
    ...(validated === undefined ? {} : { report }),
  }
}

/** A refused approval is recorded as the answer of the person who gave it. */
export function approveInput({ records }: RecordedDecision): InputBody {
  const { approvedBy, actorId } = payloadOf(records[0])
  return { kind: 'approve', approvedBy: String(approvedBy ?? actorId ?? '') }
}

function forStartOf(payload: Fields): StartLater | undefined {
  const { correlationId, triggerSource, triggeredBy, inherited, children, locked, approved, namesAsked, rulesVersion } =
    payload as Partial<Payload<'RunQueued'>>
  const forStart = {
    ...(correlationId === undefined ? {} : { correlationId }),
    ...(triggerSource === undefined ? {} : { triggerSource }),
    ...(triggeredBy === undefined ? {} : { triggeredBy }),
    ...(inherited === undefined ? {} : { inherited }),
    ...(children === undefined ? {} : { children }),
    ...(locked === undefined ? {} : { locked }),
    ...(approved === undefined ? {} : { approved }),
    ...(namesAsked === undefined ? {} : { namesAsked }),
    ...(rulesVersion === undefined ? {} : { rulesVersion }),
  }
  return Object.keys(forStart).length === 0 ? undefined : forStart
}

export function startInput({ records }: RecordedDecision): InputBody {
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

/** Each result that a fork takes over begins with one of these; a fan-out whose items it took over has its own end. */
const TAKEN_OVER_BY: ReadonlySet<string> = new Set(['StepStarted', 'StepSkipped'])

function reusedResult(started: LogRecord, records: readonly LogRecord[]): ReusedResult {
  const slot = recordedSlot(started)
  const completed = records.find((one) => one.eventType === 'StepCompleted' && recordedSlot(one) === slot)
  const { reusedFrom } = payloadOf(started) as Payload<'StepStarted'>
  const expanded =
    started.eventType === 'StepCompleted'
      ? undefined
      : records.find((one) => one.eventType === 'FanOutExpanded' && recordedSlot(one) === slot)
  const { artifactRefs, resultRef, captures, actorId } = payloadOf(completed) as Partial<Payload<'StepCompleted'>>
  return {
    slot,
    runId: reusedFrom?.runId ?? '',
    runSeq: reusedFrom?.runSeq ?? 0,
    ownerRunId: reusedFrom?.ownerRunId ?? '',
    ...(reusedFrom?.attempt === undefined ? {} : { attempt: reusedFrom.attempt }),
    ...(expanded === undefined ? {} : { items: payloadOf(expanded) as Payload<'FanOutExpanded'> }),
    ...(actorId === undefined ? {} : { actorId }),
    artifactRefs: (artifactRefs ?? []) as readonly ArtifactRef[],
    ...(completed?.data === undefined ? {} : { data: completed.data as EventData }),
    ...(resultRef === undefined ? {} : { resultRef }),
    ...(captures === undefined ? {} : { captures }),
    ...(started.eventType === 'StepSkipped' ? { skipped: payloadOf(started) as Payload<'StepSkipped'> } : {}),
  }
}
