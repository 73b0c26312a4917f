/**
 * The published JSON Schema of a snapshot (PRJ-06), from the same source as the check against the TypeScript type.
 * Closed: a field that is in the type but not in the schema fails the test.
 */
import { artifactRef } from '../../events/payloads.ts'
import { flag, integer, list, literal, object, oneOf, optional, text, type TypeOf } from '../../schema/shape.ts'

const count = integer({ min: 0 })
const ordinal = integer({ min: 1 })
const attemptStatus = oneOf('PENDING', 'RUNNING', 'SUCCESS', 'FAILED', 'SKIPPED')
const runStatus = oneOf('PENDING', 'APPROVED', 'RUNNING', 'PAUSED', 'COMPLETED', 'FAILED', 'CANCELLED')

const errorFields = {
  code: text(),
  message: text(),
  retryable: flag(),
  errorClass: optional(text()),
  category: optional(text()),
  failureCategory: optional(text()),
  failureSource: optional(text()),
  statusCode: optional(count),
  stackTrace: optional(text()),
}
const error = object(errorFields)
const slotFields = {
  parentStepId: optional(text({ min: 1 })),
  itemIndex: optional(count),
  role: optional(literal('fallback')),
}

const attempt = object({
  logicalAttemptId: ordinal,
  engineAttemptId: ordinal,
  status: attemptStatus,
  startedAt: optional(text()),
  completedAt: optional(text()),
  durationMs: optional(count),
  artifacts: list(artifactRef),
  error: optional(error),
  final: optional(flag()),
  retryAt: optional(text()),
  reason: optional(text()),
  reasonCode: optional(text()),
  mayHaveRunTwice: optional(flag()),
})

const slot = {
  stepId: text({ min: 1 }),
  ...slotFields,
  status: attemptStatus,
  logicalAttemptId: ordinal,
  engineAttemptId: optional(ordinal),
  startedAt: optional(text()),
  completedAt: optional(text()),
  artifacts: list(artifactRef),
  error: optional(error),
  attempts: list(attempt),
  reason: optional(text()),
  reasonCode: optional(text()),
  waitingForManualCompletion: optional(literal(true)),
  retryAt: optional(text()),
  compensation: optional(
    object({
      status: oneOf('PENDING', 'RUNNING', 'DONE', 'FAILED'),
      attempts: ordinal,
      startedAt: optional(text()),
      completedAt: optional(text()),
      error: optional(error),
      retryAt: optional(text()),
    }),
  ),
  timeSplit: object({
    dependencyMs: count,
    grantMs: count,
    retryMs: count,
    pauseMs: count,
    humanMs: count,
    runningMs: count,
  }),
}

const step = object({
  ...slot,
  recovered: optional(literal(true)),
  handled: optional(literal(true)),
  items: optional(object({ total: count, done: count, failed: count, running: count })),
  fallback: optional(object(slot)),
})

export const runSnapshotShape = object({
  runId: text({ min: 1 }),
  status: runStatus,
  substatus: optional(text()),
  message: optional(text()),
  queued: optional(object({ policy: oneOf('QUEUE', 'DELAY'), notBefore: optional(text()) })),
  lastEventSeq: count,
  steps: list(step),
  artifacts: list(artifactRef),
  startedAt: optional(text()),
  completedAt: optional(text()),
  totalDurationMs: optional(count),
  engineRunRef: optional(text()),
  failedSteps: count,
  rootCause: optional(
    object({
      ...errorFields,
      stepId: optional(text({ min: 1 })),
      ...slotFields,
      attempt: optional(ordinal),
      runSeq: optional(ordinal),
    }),
  ),
  inconsistent: optional(literal(true)),
})

/** The schema's type of a snapshot. */
export type DescribedSnapshot = TypeOf<typeof runSnapshotShape>
