/**
 * The canonical bytes of a record (P-33), written by hand because its field names are known: they are in RFC 8785 order
 * here, so nothing is sorted and only payload and free text are escaped. A test checks the order.
 */
import type { Decision, EmittedBy, EventType, RunIdentity } from '../../core/events/event.ts'
import { writeString } from './canonical.ts'

export interface StepOfRecord {
  /** The slot. */
  readonly stepId: string
  readonly parentStepId?: string | undefined
  readonly itemIndex?: number | undefined
  readonly role?: 'fallback' | undefined
}

export interface RecordFields {
  readonly eventId: string
  readonly eventType: EventType
  readonly runSeq: number
  /** Lower-case hex. */
  readonly idempotencyKey: string
  readonly emittedAt: string
  readonly emittedBy: EmittedBy
  readonly occurredAt: string | undefined
  readonly logicalAttemptId: number
  readonly engineAttemptId: number
  readonly causedBySignalId: string | undefined
  readonly step: StepOfRecord | undefined
  readonly decision: Decision
}

/** The run's part of every record, quoted once per batch. */
export interface IdentityText {
  readonly environment: string
  readonly plan: string
  readonly runId: string
  readonly tenant: string
}

export function identityText(identity: RunIdentity): IdentityText {
  return {
    environment: `"environmentId":${writeString(identity.environmentId)}`,
    plan:
      `"planId":${writeString(identity.planId)},"planVersion":${writeString(identity.planVersion)},` +
      `"projectId":${writeString(identity.projectId)}`,
    runId: `"runId":${writeString(identity.runId)}`,
    tenant: `"tenantId":${writeString(identity.tenantId)}`,
  }
}

/** Without persistedAt, data, salt and chainHash; absent fields are left out. `payload` is canonical text. */
export function recordText(
  fields: RecordFields,
  identity: IdentityText,
  payload: string,
  dataHash: string | undefined,
): string {
  const { causedBySignalId, occurredAt, step, decision } = fields
  return (
    '{' +
    (causedBySignalId === undefined ? '' : `"causedBySignalId":${writeString(causedBySignalId)},`) +
    (dataHash === undefined ? '' : `"dataHash":"${dataHash}",`) +
    `"decision":{"cause":${writeString(decision.cause)},"firstSeq":${decision.firstSeq}},` +
    `"emittedAt":"${fields.emittedAt}","emittedBy":"${fields.emittedBy}",` +
    `"engineAttemptId":${fields.engineAttemptId},${identity.environment},` +
    `"eventId":"${fields.eventId}","eventType":"${fields.eventType}","idempotencyKey":"${fields.idempotencyKey}",` +
    (step?.itemIndex === undefined ? '' : `"itemIndex":${step.itemIndex},`) +
    `"logicalAttemptId":${fields.logicalAttemptId},` +
    (occurredAt === undefined ? '' : `"occurredAt":"${occurredAt}",`) +
    (step?.parentStepId === undefined ? '' : `"parentStepId":"${step.parentStepId}",`) +
    `"payload":${payload},${identity.plan},` +
    (step?.role === undefined ? '' : `"role":"${step.role}",`) +
    `${identity.runId},"runSeq":${fields.runSeq},` +
    (step === undefined ? '' : `"stepId":"${step.stepId}",`) +
    `${identity.tenant}}`
  )
}
