/**
 * The structural payload of every event: what the fold needs and erasure never removes. Decided values (when a retry is
 * due, when a grace period ends) are written here, so that `evolve` only copies.
 */
import { LIMITS } from '../limits.ts'
import { engineType, finding, reportFields } from './report-fields.ts'
import { STEP_SLOT_PATTERN } from './slot.ts'
import { flag, integer, list, literal, object, oneOf, optional, record, text } from '../schema/shape.ts'

export const instant = text({ pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d{1,9})?Z$' })
const sha256 = text({ pattern: '^[a-f0-9]{64}$' })
const name = text({ min: 1, max: LIMITS.nameBytes })
const engineRunRef = text({ min: 1, max: LIMITS.engineRunRefChars })
const count = integer({ min: 0 })
const ordinal = integer({ min: 1 })
/** The slot of the step that an extension event is about (P-52). */
const stepId = text({ pattern: STEP_SLOT_PATTERN })

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
  /** The HTTP status of the error. */
  statusCode: optional(integer({ min: 100, max: 599 })),
})

const planRef = object({
  uri: name,
  sha256,
  schemaVersion: text({ pattern: '^v\\d+\\.\\d+$' }),
  planId: name,
  planVersion: name,
})
/** `attempt` did the work in the owner's run; absent in logs of rules version 1. */
const reusedFrom = object({ runId: name, runSeq: ordinal, ownerRunId: name, attempt: optional(ordinal) })
const blobRef = object({ sha256, sizeBytes: count })
/**
 * The result of the compensation of each finished piece of work, newest first (CMP-06). `undone`, `failed` or left
 * `unfinished`.
 */
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
const parent = object({ runId: name, slot: name, attempt: ordinal })
const reasonText = text({ max: LIMITS.reasonBytes })
const signalFields = {
  signalId: name,
  signalType: name,
  policyDecisionId: name,
  actorId: optional(name),
  actorRole: optional(name),
}

const SKIP_REASONS = ['DEPENDENCY_FAILED', 'DEPENDENCY_SKIPPED', 'CONDITION_FALSE', 'OPERATOR_SKIP'] as const
const CANCEL_CAUSES = ['cancelRun', 'CANCEL', 'EMERGENCY_STOP', 'parent'] as const

const planUri = text({ min: 1, max: LIMITS.planUriChars })
/** `from`: the project whose document it was; `uri`: where a reference said that it lies. */
const planSource = object({ sha256, sizeBytes: count, from: optional(name), uri: optional(planUri) })
/** Of a person who completed a task: told by who authenticates them, where a rule asks for it. */
const actorRoles = optional(list(name, { max: LIMITS.actorRoles }))
const triggerSource = oneOf('manual', 'schedule', 'webhook', 'api')
/**
 * The origin of the run as in its row, repeated in its first event, so that a change of the row alone is detected. What
 * the RunStarted of the same append says is left out; a log without it is of an earlier version.
 */
const origin = optional(
  object({
    requestKey: optional(sha256),
    planSha256: optional(sha256),
    /** The bytes that the plan was made of. Absent: they were the plan's own, or nobody had them. */
    planSource: optional(planSource),
    engineType: optional(engineType),
    engineRunRef: optional(engineRunRef),
    triggeredBy: optional(name),
    originalRunId: optional(name),
    parent: optional(parent),
  }),
)
/**
 * The hash of a plan that some step runs as a child, as resolved at admission; plans pinned by their hash are left out.
 */
const childPlan = object({ planId: name, planVersion: optional(name), sha256 })
const children = optional(list(childPlan, { max: LIMITS.childPlans }))
const allowedNames = list(text({ max: LIMITS.lockNameChars }), { max: LIMITS.lockNames })
/** A locked run may only do what is named here, under any driver, and so may its children and its forks. */
const locked = object({
  hosts: allowedNames,
  programs: allowedNames,
  variables: allowedNames,
  secrets: allowedNames,
  plans: allowedNames,
  code: flag(),
  irreversible: flag(),
})
/** Who did what: who made the run, who completed which tasks, who stopped it. */
const people = object({
  makers: list(name),
  approvals: list(object({ actorId: name, duties: list(name) })),
  stoppedBy: list(name),
  /** There were more people than an event can hold: where it matters, nobody is allowed. */
  isCut: optional(flag()),
})
const receivedEvent = optional(object({ id: text({ min: 1, max: LIMITS.eventIdBytes }), sentAt: instant }))
/** Approvals by the run they were given in; absent: this run. */
const approvals = list(object({ runId: optional(name), stepId: name, runSeq: ordinal }), { max: 100 })
/** For a run that belongs to another: an approval there binds it too, and is valid for one dispatch here (MAN-13). */
const approved = object({
  approvals,
  /** The same approval was given for others too: it releases no irreversible step. */
  forMany: optional(flag()),
  /** A run above it was approved in the queue. */
  inQueue: optional(object({ runId: name, approvedBy: name })),
})
/** A rule of a run above compares people: whoever acts here is named, and whoever changes the run where `makers` (MAN-08). */
const namesAsked = object({ runId: name, stepId: name, makers: optional(flag()) })
/** For a run that another actor starts later: what its RunStarted will say about the request. */
const forStart = {
  locked: optional(locked),
  children,
  correlationId: optional(name),
  triggerSource: optional(triggerSource),
  /** For a run that starts later: who asked for it. */
  triggeredBy: optional(name),
  /** Who did what in the runs this one comes from or belongs to: duties are separated over all of them (MAN-08). */
  inherited: optional(people),
  approved: optional(approved),
  namesAsked: optional(namesAsked),
  /** Of a run that waits for a person: the rules by which their word is judged. Absent: those from before version 5. */
  rulesVersion: optional(ordinal),
}

export const PAYLOADS = {
  RunQueued: object({
    policy: oneOf('QUEUE', 'DELAY'),
    notBefore: optional(instant),
    /** Nobody is asked: it is approved as it starts. Absent: somebody approves it first, or its RunApproved stands beside it. */
    autoApprove: optional(flag()),
    inputRef: optional(blobRef),
    origin,
    ...forStart,
  }),
  RunValidated: object({
    status: oneOf('WARNINGS', 'ERRORS'),
    ...reportFields(instant),
    inputRef: optional(blobRef),
    origin,
  }),
  RunApproved: object({ approvedBy: optional(name), inputRef: optional(blobRef), origin, ...forStart }),
  RunStarted: object({
    status: literal('RUNNING'),
    engineRunRef,
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
    parent: optional(parent),
    /** It starts no step: it undoes what the named run has finished. */
    compensationOf: optional(name),
    intentLate: optional(flag()),
    /** Absent in logs from before plans were pinned at the start of a run, and where nothing is to pin. */
    children,
  }),
  StepStarted: object({
    startedAt: instant,
    epoch: ordinal,
    timeoutAt: optional(instant),
    waitUntil: optional(instant),
    waitForMs: optional(count),
    forEvent: optional(name),
    grants: optional(record(integer({ min: 1 }))),
    freshKey: optional(name),
    reusedFrom: optional(reusedFrom),
    /** The approvals that release this one dispatch of an irreversible step (MAN-13). */
    approvals: optional(approvals),
  }),
  StepCompleted: object({
    completedAt: instant,
    artifactRefs: list(artifactRef),
    durationMs: optional(count),
    resultRef: optional(blobRef),
    /** The values are in `captureValues`; a value that is too large is a blob, and null there. */
    captures: optional(list(object({ path: name, mode: oneOf('replace', 'merge', 'append'), ref: optional(blobRef) }))),
    reusedFrom: optional(reusedFrom),
    mayHaveRunTwice: optional(flag()),
    buildId: optional(name),
    evidenceRefs: optional(list(name)),
    actorId: optional(name),
    actorRoles,
    /** Who did what in the child run, as far as it was new: duties are separated over a run and its children. */
    people: optional(people),
    receivedEvent,
  }),
  StepFailed: object({
    error: errorInfo,
    failedAt: instant,
    final: flag(),
    retryAt: optional(instant),
    /** The step's fallback runs next. */
    fallback: optional(flag()),
    /** The plan handles it: dependents run and read null. */
    handled: optional(flag()),
    artifactRefs: optional(list(artifactRef)),
    durationMs: optional(count),
    mayHaveRunTwice: optional(flag()),
    forced: optional(flag()),
    /** The step is neither retried nor replaced by its fallback: its approval was for one dispatch. */
    approvalSpent: optional(flag()),
    failedItem: optional(count),
    buildId: optional(name),
    evidenceRefs: optional(list(name)),
    actorId: optional(name),
    actorRoles,
    people: optional(people),
    receivedEvent,
  }),
  StepSkipped: object({
    reason: text({ min: 1, max: LIMITS.reasonBytes }),
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
    /** Of a CANCEL: what the run has finished is undone before it ends. */
    undo: optional(flag()),
  }),
  SignalRejected: object({
    ...signalFields,
    decision: oneOf('REJECTED', 'REVISION_REQUIRED'),
    reasonCode: name,
    reason: reasonText,
    /** The task whose completion was refused. */
    target: optional(name),
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
    /** For a run that undid another. */
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
    /** Where the cancellation asked for undoing. */
    compensation: optional(compensation),
  }),
  ManualTaskOpened: object({ stepId, attempt: ordinal, openedAt: instant, expiresAt: optional(instant) }),
  FanOutExpanded: object({ stepId, count: integer({ min: 0, max: LIMITS.fanOutItems }), sha256, ref: name }),
  CompensationStarted: object({ stepId, startedAt: instant, epoch: ordinal, timeoutAt: optional(instant) }),
  CompensationCompleted: object({
    stepId,
    completedAt: instant,
    buildId: optional(name),
    mayHaveRunTwice: optional(flag()),
  }),
  CompensationFailed: object({
    stepId,
    failedAt: instant,
    error: errorInfo,
    final: flag(),
    retryAt: optional(instant),
    mayHaveRunTwice: optional(flag()),
  }),
  AlertRaised: object({
    code: name,
    priority: oneOf('P1', 'P2', 'P3'),
    raisedAt: instant,
    signalId: optional(name),
    stepId: optional(stepId),
  }),
  AlertEscalated: object({
    code: name,
    level: oneOf('INFO', 'WARNING', 'CRITICAL', 'P1'),
    signalId: optional(name),
    stepId: optional(stepId),
  }),
  RunForked: object({
    newRunId: name,
    atSeq: count,
    planVersion: name,
    signalId: optional(name),
    /** Of the new run's plan, where it is another. */
    planSha256: optional(sha256),
    /** The new run has an input of its own. */
    otherInput: optional(flag()),
  }),
  EngineHandoff: object({
    fromEngine: engineType,
    toEngine: engineType,
    engineRunRef,
    epoch: ordinal,
    maxInFlight: ordinal,
    forced: optional(flag()),
  }),
  RulesUpgraded: object({ from: ordinal, to: ordinal }),
  LateOutcomeRecorded: object({
    stepId,
    attempt: ordinal,
    outcome: oneOf('completed', 'failed'),
    receivedAt: instant,
    audit: literal('ORPHANED_TASK'),
    compensation: optional(flag()),
    error: optional(errorInfo),
    /** Of a child run that ended too late: who did what there that was not known here. */
    people: optional(people),
  }),
  ErasureRecorded: object({
    erasedUpTo: ordinal,
    reason: reasonText,
    actorId: optional(name),
    /** Signed with a key of receipts, over what is erased; absent in logs of earlier versions. */
    signed: optional(object({ keyId: name, signature: text({ pattern: '^[a-f0-9]{128}$' }) })),
  }),
} as const
