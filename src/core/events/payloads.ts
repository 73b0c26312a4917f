/**
 * The structural payload of every event: what the fold needs and erasure never touches.
 * Decided values (when a retry is due, when a grace ends) are written here, so that `evolve` only copies.
 */
import { anything, flag, integer, list, literal, object, oneOf, optional, record, text } from '../schema/shape.ts'

export const instant = text({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?Z$' })
const sha256 = text({ pattern: '^[a-f0-9]{64}$' })
const name = text({ min: 1, max: 255 })
const count = integer({ min: 0 })
const ordinal = integer({ min: 1 })

export const ERROR_CLASSES = [
  'timeout',
  'rate_limit',
  '5xx',
  'transport',
  'validation',
  'auth_deny',
  'policy_deny',
  'conflict',
  'permanent',
  'cancelled',
  'unknown',
] as const

export const artifactRef = object({
  uri: name,
  kind: name,
  sha256: optional(sha256),
  sizeBytes: optional(count),
  expiresAt: optional(instant),
})

export const errorInfo = object({
  code: text({ min: 1, max: 128 }),
  retryable: flag(),
  errorClass: oneOf(...ERROR_CLASSES),
  category: optional(oneOf('infrastructure', 'business', 'validation', 'timeout')),
  failureCategory: optional(oneOf('USER', 'SYSTEM', 'PLATFORM', 'TIMEOUT')),
  failureSource: optional(text({ max: 255 })),
  /** The HTTP status the error carried. */
  statusCode: optional(integer({ min: 100, max: 599 })),
})

const planRef = object({
  uri: name,
  sha256,
  schemaVersion: text({ pattern: '^v\\d+\\.\\d+$' }),
  planId: name,
  planVersion: name,
})
/** `attempt` is the one that did the work in the owner's run; absent in logs of rules version 1. */
const reusedFrom = object({ runId: name, runSeq: ordinal, ownerRunId: name, attempt: optional(ordinal) })
const blobRef = object({ sha256, sizeBytes: count })
/** What became of undoing each finished piece of work, newest first (CMP-06). `undone`, `failed` or left `unfinished`. */
const compensation = object({
  done: count,
  failed: count,
  notCompensable: count,
  unfinished: count,
  slots: list(name, { max: 100 }),
  actions: optional(
    list(object({ slot: name, result: oneOf('undone', 'failed', 'unfinished'), attempts: ordinal }), { max: 200 }),
  ),
})
const finding = object({ code: name, message: text(), capability: optional(name) })
const engineType = oneOf('temporal', 'conductor', 'mock', 'embedded')
const reasonText = text({ max: 1000 })
const signalFields = {
  signalId: name,
  signalType: name,
  policyDecisionId: name,
  actorId: optional(name),
  actorRole: optional(name),
}

const SKIP_REASONS = ['DEPENDENCY_FAILED', 'CONDITION_FALSE', 'OPERATOR_SKIP'] as const
const CANCEL_CAUSES = ['cancelRun', 'CANCEL', 'EMERGENCY_STOP', 'parent'] as const

const triggerSource = oneOf('manual', 'schedule', 'webhook', 'api')
/** Of a run that is started later, by somebody else: what its RunStarted will say of the request. */
const forStart = { correlationId: optional(name), triggerSource: optional(triggerSource) }

export const PAYLOADS = {
  RunQueued: object({
    policy: oneOf('QUEUE', 'DELAY'),
    notBefore: optional(instant),
    inputRef: optional(blobRef),
    ...forStart,
  }),
  RunValidated: object({
    status: oneOf('WARNINGS', 'ERRORS'),
    errors: list(finding),
    warnings: list(finding),
    inputRef: optional(blobRef),
  }),
  RunApproved: object({ approvedBy: optional(name), inputRef: optional(blobRef), ...forStart }),
  RunStarted: object({
    status: literal('RUNNING'),
    engineRunRef: name,
    engineType,
    planRef,
    context: object({
      tenantId: name,
      projectId: name,
      environmentId: name,
      triggeredBy: optional(name),
      triggerSource: optional(triggerSource),
      /** Absent: the runId (CTX-05). */
      correlationId: optional(name),
    }),
    startedAt: instant,
    rulesVersion: ordinal,
    epoch: ordinal,
    maxInFlight: ordinal,
    runTimeoutAt: optional(instant),
    degraded: optional(flag()),
    warnings: optional(list(finding)),
    validationReportRef: optional(name),
    originalRunId: optional(name),
    parent: optional(object({ runId: name, slot: name, attempt: ordinal })),
    /** It starts no step: it undoes what the named run has finished (DESIGN §5). */
    compensationOf: optional(name),
    intentLate: optional(flag()),
  }),
  StepStarted: object({
    startedAt: instant,
    epoch: ordinal,
    timeoutAt: optional(instant),
    waitUntil: optional(instant),
    waitForMs: optional(count),
    grants: optional(record(integer({ min: 1 }))),
    freshKey: optional(name),
    reusedFrom: optional(reusedFrom),
  }),
  StepCompleted: object({
    completedAt: instant,
    artifactRefs: list(artifactRef),
    durationMs: optional(count),
    resultRef: optional(blobRef),
    /** The values are in `captureValues`; one too large for it is a blob, and null there. */
    captures: optional(list(object({ path: name, mode: oneOf('replace', 'merge', 'append'), ref: optional(blobRef) }))),
    reusedFrom: optional(reusedFrom),
    mayHaveRunTwice: optional(flag()),
    buildId: optional(name),
    evidenceRefs: optional(list(name)),
    actorId: optional(name),
  }),
  StepFailed: object({
    error: errorInfo,
    failedAt: instant,
    final: flag(),
    retryAt: optional(instant),
    /** The step's fallback runs next. */
    fallback: optional(flag()),
    artifactRefs: optional(list(artifactRef)),
    durationMs: optional(count),
    mayHaveRunTwice: optional(flag()),
    forced: optional(flag()),
    failedItem: optional(count),
    buildId: optional(name),
    evidenceRefs: optional(list(name)),
    actorId: optional(name),
  }),
  StepSkipped: object({
    reason: text({ min: 1, max: 1000 }),
    reasonCode: oneOf(...SKIP_REASONS),
    skippedAt: instant,
    signalId: optional(name),
    reusedFrom: optional(reusedFrom),
  }),
  SignalAccepted: object({
    ...signalFields,
    decision: literal('ACCEPTED'),
    reason: optional(reasonText),
    applied: flag(),
    target: optional(name),
    graceUntil: optional(instant),
    freshKey: optional(flag()),
  }),
  SignalRejected: object({
    ...signalFields,
    decision: oneOf('REJECTED', 'REVISION_REQUIRED'),
    reasonCode: name,
    reason: reasonText,
  }),
  RunPaused: object({
    pausedAt: instant,
    signalId: optional(name),
    reason: optional(reasonText),
    scope: optional(name),
  }),
  RunResumed: object({
    resumedAt: instant,
    signalId: optional(name),
    reason: optional(reasonText),
    scope: optional(name),
  }),
  RunCompleted: object({
    completedAt: instant,
    artifactRefs: list(artifactRef),
    outputRef: optional(blobRef),
    /** Of a run that undid another. */
    compensation: optional(compensation),
  }),
  RunFailed: object({
    failedAt: instant,
    error: errorInfo,
    rootCause: optional(object({ slot: name, attempt: ordinal, runSeq: ordinal })),
    compensation: optional(compensation),
    artifactRefs: optional(list(artifactRef)),
  }),
  RunCancelled: object({
    cancelledAt: instant,
    cause: oneOf(...CANCEL_CAUSES),
    signalId: optional(name),
    reason: optional(reasonText),
  }),
  ManualTaskOpened: object({ attempt: ordinal, openedAt: instant, expiresAt: optional(instant) }),
  FanOutExpanded: object({ count: integer({ min: 0, max: 100_000 }), sha256, ref: name }),
  CompensationStarted: object({ startedAt: instant, epoch: ordinal, timeoutAt: optional(instant) }),
  CompensationCompleted: object({
    completedAt: instant,
    buildId: optional(name),
    mayHaveRunTwice: optional(flag()),
  }),
  CompensationFailed: object({
    failedAt: instant,
    error: errorInfo,
    final: flag(),
    retryAt: optional(instant),
    mayHaveRunTwice: optional(flag()),
  }),
  AlertRaised: object({ code: name, priority: oneOf('P1', 'P2', 'P3'), raisedAt: instant, signalId: optional(name) }),
  AlertEscalated: object({ code: name, level: oneOf('INFO', 'WARNING', 'CRITICAL', 'P1'), signalId: optional(name) }),
  RunForked: object({ newRunId: name, atSeq: count, planVersion: name, signalId: optional(name) }),
  EngineHandoff: object({
    fromEngine: engineType,
    toEngine: engineType,
    engineRunRef: name,
    epoch: ordinal,
    maxInFlight: ordinal,
    forced: optional(flag()),
  }),
  RulesUpgraded: object({ from: ordinal, to: ordinal }),
  LateOutcomeRecorded: object({
    attempt: ordinal,
    outcome: oneOf('completed', 'failed'),
    receivedAt: instant,
    audit: literal('ORPHANED_TASK'),
    compensation: optional(flag()),
    error: optional(errorInfo),
  }),
  ErasureRecorded: object({ erasedUpTo: ordinal, reason: reasonText, actorId: optional(name) }),
} as const

/** What may be personal: kept apart, salted, hashed and erasable (P-32). One row per event. */
export const DATA_FIELDS = {
  RunQueued: ['input'],
  RunValidated: ['input'],
  RunApproved: ['input'],
  RunStarted: ['input'],
  StepStarted: ['facts'],
  StepCompleted: ['result', 'captureValues', 'facts', 'notes'],
  StepFailed: ['errorText', 'facts', 'notes'],
  StepSkipped: ['facts'],
  SignalAccepted: ['signalPayload'],
  SignalRejected: ['signalPayload'],
  RunPaused: [],
  RunResumed: [],
  RunCompleted: ['output', 'facts'],
  RunFailed: ['input', 'errorText'],
  RunCancelled: ['input'],
  ManualTaskOpened: [],
  FanOutExpanded: ['facts'],
  CompensationStarted: [],
  CompensationCompleted: ['result'],
  CompensationFailed: ['errorText'],
  AlertRaised: ['notes'],
  AlertEscalated: ['notes'],
  RunForked: [],
  EngineHandoff: [],
  RulesUpgraded: [],
  LateOutcomeRecorded: ['result', 'errorText'],
  ErasureRecorded: ['notes'],
} as const satisfies Record<keyof typeof PAYLOADS, readonly DataField[]>

export type DataField =
  'input' | 'result' | 'output' | 'captureValues' | 'errorText' | 'facts' | 'notes' | 'signalPayload'

export const DATA_SHAPES = {
  input: anything(),
  result: anything(),
  output: anything(),
  captureValues: list(anything()),
  errorText: object({ message: text({ max: 8192 }), stackTrace: optional(text({ max: 8192 })) }),
  facts: record(anything()),
  notes: text({ max: 8192 }),
  signalPayload: anything(),
} as const
