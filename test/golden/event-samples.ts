/**
 * One valid write per event type, typed by the contract itself: a type without a sample does not compile. Keys are made
 * here from the documented formula, not by the product's code.
 */
import { createHash } from 'node:crypto'
import type { EventData, EventType, Payload, RunIdentity, WriteOf } from '../../src/core/events/event.ts'
import { EVENTS, EVENT_TYPES } from '../../src/core/events/event.ts'

export const IDENTITY: RunIdentity = {
  runId: '0d3c6a9e-4f0c-4a8e-9d5d-3d4c0f7dbb8a',
  tenantId: 'acme',
  projectId: 'orders',
  environmentId: 'prod',
  planId: 'nightly',
  planVersion: '1.2.0',
}

const at = '2026-03-01T10:00:00.000Z'
const sha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
const error = { code: 'TIMEOUT', retryable: true, errorClass: 'timeout' } as const

export const PAYLOAD_SAMPLES: { readonly [T in EventType]: Payload<T> } = {
  RunQueued: { policy: 'DELAY', notBefore: at },
  RunValidated: { status: 'WARNINGS', errors: [], warnings: [{ code: 'CAPABILITY_EMULATED', message: 'pause drains' }] },
  RunApproved: { approvedBy: 'policy:auto' },
  RunStarted: {
    status: 'RUNNING',
    engineRunRef: 'embedded://0d3c6a9e-4f0c-4a8e-9d5d-3d4c0f7dbb8a',
    engineType: 'embedded',
    planRef: { uri: `plan:sha256:${sha256}`, sha256, schemaVersion: 'v1.0', planId: 'nightly', planVersion: '1.2.0' },
    context: { tenantId: 'acme', projectId: 'orders', environmentId: 'prod', triggerSource: 'manual' },
    startedAt: at,
    rulesVersion: 1,
    epoch: 1,
    maxInFlight: 10,
  },
  StepStarted: { startedAt: at, epoch: 1 },
  StepCompleted: { completedAt: at, artifactRefs: [{ uri: 's3://b/a.csv', kind: 'csv', sizeBytes: 0 }], durationMs: 12 },
  StepFailed: { error, failedAt: at, final: false, retryAt: at },
  StepSkipped: { reason: 'the condition is false', reasonCode: 'CONDITION_FALSE', skippedAt: at },
  SignalAccepted: { signalId: 's-1', signalType: 'PAUSE', policyDecisionId: 'p-1', decision: 'ACCEPTED', applied: true },
  SignalRejected: {
    signalId: 's-2',
    signalType: 'RESUME',
    policyDecisionId: 'p-2',
    decision: 'REJECTED',
    reasonCode: 'RUN_NOT_RUNNING',
    reason: 'The run has not started.',
  },
  RunPaused: { pausedAt: at, signalId: 's-1', reason: 'maintenance' },
  RunResumed: { resumedAt: at, signalId: 's-3' },
  RunCompleted: { completedAt: at, artifactRefs: [] },
  RunFailed: { failedAt: at, error, rootCause: { slot: 'load', attempt: 2, runSeq: 9 } },
  RunCancelled: { cancelledAt: at, cause: 'CANCEL', signalId: 's-4', reason: 'not needed' },
  ManualTaskOpened: { stepId: 'load', attempt: 1, openedAt: at, expiresAt: at },
  FanOutExpanded: { stepId: 'load', count: 3, sha256, ref: `sha256:${sha256}` },
  CompensationStarted: { stepId: 'load', startedAt: at, epoch: 1 },
  CompensationCompleted: { stepId: 'load', completedAt: at },
  CompensationFailed: { stepId: 'load', failedAt: at, error, final: true },
  AlertRaised: { code: 'NO_HANDLER', priority: 'P2', raisedAt: at, stepId: 'load' },
  AlertEscalated: { code: 'NO_HANDLER', level: 'CRITICAL', stepId: 'load' },
  RunForked: { newRunId: 'b5f0a1de-7f5c-4c1c-8f38-3f0b6b7a2d11', atSeq: 4, planVersion: '1.3.0' },
  EngineHandoff: {
    fromEngine: 'embedded',
    toEngine: 'temporal',
    engineRunRef: 'temporal://default/keelson-run/w-1/r-1',
    epoch: 2,
    maxInFlight: 500,
  },
  RulesUpgraded: { from: 1, to: 2 },
  LateOutcomeRecorded: { stepId: 'load', attempt: 1, outcome: 'completed', receivedAt: at, audit: 'ORPHANED_TASK' },
  ErasureRecorded: { erasedUpTo: 7, reason: 'asked for by the person concerned' },
}

export const DATA_SAMPLES: { readonly [T in EventType]?: EventData } = {
  RunStarted: { input: { day: '2026-03-01' } },
  StepCompleted: { result: { rows: 3 } },
  StepFailed: { errorText: { message: 'took 31 s', stackTrace: 'at load' } },
  RunFailed: { errorText: { message: 'took 31 s' } },
  SignalAccepted: { signalPayload: { note: 'é' } },
}

/** The slot of each sample's key, by the table in docs/reference/log.md. */
const SLOTS: { readonly [T in EventType]?: string } = {
  FanOutExpanded: 'load',
  SignalAccepted: 'SIGNAL:s-1',
  SignalRejected: 'SIGNAL:s-2',
  ManualTaskOpened: 'TASK:load:1',
  CompensationStarted: 'COMP:load',
  CompensationCompleted: 'COMP:load',
  CompensationFailed: 'COMP:load',
  LateOutcomeRecorded: 'LATE:load:1',
  AlertRaised: 'ALERT:NO_HANDLER:load:1',
  AlertEscalated: 'ALERT:NO_HANDLER:load:1',
  RunForked: 'FORK:b5f0a1de-7f5c-4c1c-8f38-3f0b6b7a2d11',
}

export function slotOfSample(type: EventType): string {
  return SLOTS[type] ?? (EVENTS[type].level === 'run' ? 'RUN' : 'load')
}

export function sha256Of(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex')
}

export function sampleOf<T extends EventType>(type: T): WriteOf<T> {
  const { runId, planVersion } = IDENTITY
  return {
    ...IDENTITY,
    eventId: '9b2f0c1e-3a47-4b5e-8c11-6f0a2d4e7b90',
    eventType: type,
    idempotencyKey: sha256Of(`${runId}|${slotOfSample(type)}|1|${type}|${planVersion}`),
    emittedAt: at,
    emittedBy: EVENTS[type].emittedBy,
    logicalAttemptId: 1,
    engineAttemptId: 1,
    ...(EVENTS[type].level === 'run' ? {} : { stepId: 'load' }),
    payload: PAYLOAD_SAMPLES[type],
    ...(DATA_SAMPLES[type] === undefined ? {} : { data: DATA_SAMPLES[type] }),
  } as unknown as WriteOf<T>
}

export const SAMPLES = EVENT_TYPES.map((type) => sampleOf(type))
