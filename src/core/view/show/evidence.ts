/**
 * Evidence of what was done (GRF-12), derived from the log: one entry per ended attempt, one per ended step, one for
 * the end of the run. Entries hold ids, times and classes: no error text, no personal data except what a person wrote
 * when completing a task, and references without their query string (GRF-17).
 */
import type { LogRecord } from '../../events/event.ts'
import { RUN_SLOT, stepSlotText } from '../../events/slot.ts'
import { addressOf, artifactsOf, errorOf, eventTime, fieldsOf, textOf } from '../fold/reading.ts'
import { inOrder } from '../project/project-run.ts'
import { CANCELLED_CODE } from '../fold/slot-facts.ts'

export type EvidenceOutcome = 'Succeeded' | 'Failed' | 'Cancelled' | 'Skipped'

export interface EvidenceEntry {
  /** `attempt`: one attempt ended. `terminal`: a step, or the run, ended. */
  readonly kind: 'attempt' | 'terminal'
  readonly runId: string
  /** The step's slot, or `RUN`. */
  readonly actionId: string
  readonly attempt: number
  readonly engineAttempt: number
  readonly startedAtIso: string
  readonly endedAtIso: string
  readonly outcome: EvidenceOutcome
  readonly errorCode?: string
  readonly errorClass?: string
  readonly summary: string
  readonly payloadRefs: readonly string[]
  /** For a task that a person completed (MAN-12). The notes are missing after their erasure. */
  readonly completedBy?: {
    readonly actorUserId: string
    readonly notes?: string
    readonly evidenceRefs: readonly string[]
  }
  /** The store's clock at the source event; entries are in this order. */
  readonly recordedAtIso: string
  readonly correlation: {
    readonly tenantId: string
    readonly projectId: string
    readonly environmentId: string
    readonly planId: string
    readonly planVersion: string
    readonly eventId: string
    readonly runSeq: number
    /** The label of the key that the target system received. */
    readonly idempotencyLabel: string
    readonly signalId?: string
  }
}

export function evidenceOf(records: readonly LogRecord[]): readonly EvidenceEntry[] {
  const begun = new Map<string, string>()
  const ended = new Set<string>()
  const entries: EvidenceEntry[] = []
  for (const record of inOrder(records)) {
    const actionId = actionOf(record)
    if (actionId === undefined) continue
    const attemptId = actionId === RUN_SLOT ? actionId : `${actionId}#${record.logicalAttemptId}`
    if (record.eventType === 'StepStarted' || record.eventType === 'RunStarted') {
      if (!begun.has(attemptId)) begun.set(attemptId, startOf(record))
      continue
    }
    const outcome = outcomeOf(record)
    if (outcome === undefined || ended.has(attemptId)) continue
    ended.add(attemptId)
    const isAttempt = actionId !== RUN_SLOT && outcome !== 'Skipped'
    const startedAtIso = begun.get(attemptId) ?? eventTime(record)
    if (isAttempt) entries.push(entry('attempt', record, actionId, startedAtIso, outcome))
    if (isLast(record))
      entries.push(entry('terminal', record, actionId, begun.get(`${actionId}#1`) ?? startedAtIso, outcome))
  }
  return entries
}

function actionOf(record: LogRecord): string | undefined {
  const address = addressOf(record)
  if (address !== undefined) return stepSlotText(address)
  return record.eventType.startsWith('Run') ? RUN_SLOT : undefined
}

function startOf(record: LogRecord): string {
  return textOf(fieldsOf(record.payload), 'startedAt') ?? eventTime(record)
}

function outcomeOf(record: LogRecord): EvidenceOutcome | undefined {
  switch (record.eventType) {
    case 'StepCompleted':
    case 'RunCompleted':
      return 'Succeeded'
    case 'StepFailed':
      return errorOf(record).code === CANCELLED_CODE ? 'Cancelled' : 'Failed'
    case 'RunFailed':
      return 'Failed'
    case 'StepSkipped':
      return 'Skipped'
    case 'RunCancelled':
      return 'Cancelled'
    default:
      return undefined
  }
}

function isLast(record: LogRecord): boolean {
  return record.eventType !== 'StepFailed' || fieldsOf(record.payload)['final'] !== false
}

function personOf(record: LogRecord): Pick<EvidenceEntry, 'completedBy'> {
  const payload = fieldsOf(record.payload)
  const actorUserId = textOf(payload, 'actorId')
  if (actorUserId === undefined || !record.eventType.startsWith('Step')) return {}
  const notes = textOf(fieldsOf(record.data), 'notes')
  const refs = Array.isArray(payload['evidenceRefs']) ? (payload['evidenceRefs'] as readonly unknown[]) : []
  const evidenceRefs = refs.filter((ref): ref is string => typeof ref === 'string')
  return { completedBy: { actorUserId, ...(notes === undefined ? {} : { notes }), evidenceRefs } }
}

function entry(
  kind: EvidenceEntry['kind'],
  record: LogRecord,
  actionId: string,
  startedAtIso: string,
  outcome: EvidenceOutcome,
): EvidenceEntry {
  const payload = fieldsOf(record.payload)
  const failed = record.eventType === 'StepFailed' || record.eventType === 'RunFailed'
  const error = failed ? errorOf(record) : undefined
  const when = ['completedAt', 'failedAt', 'cancelledAt', 'skippedAt'].flatMap((name) => textOf(payload, name) ?? [])[0]
  const what = kind === 'attempt' ? `${actionId} attempt ${record.logicalAttemptId}` : actionId
  const { tenantId, projectId, environmentId, planId, planVersion, eventId, runSeq, causedBySignalId } = record
  return {
    kind,
    runId: record.runId,
    actionId,
    attempt: record.logicalAttemptId,
    engineAttempt: record.engineAttemptId,
    startedAtIso,
    endedAtIso: when ?? eventTime(record),
    outcome,
    ...(error === undefined ? {} : { errorCode: error.code, errorClass: error.errorClass ?? 'unknown' }),
    summary: error === undefined ? `${what}: ${outcome}` : `${what}: ${outcome} (${error.code})`,
    payloadRefs: artifactsOf(payload).map(({ uri }) => uri.replace(/[?#].*$/s, '')),
    ...personOf(record),
    recordedAtIso: record.persistedAt,
    correlation: {
      tenantId,
      projectId,
      environmentId,
      planId,
      planVersion,
      eventId,
      runSeq,
      idempotencyLabel: `${record.runId}:${actionId}`,
      ...(causedBySignalId === undefined ? {} : { signalId: causedBySignalId }),
    },
  }
}
