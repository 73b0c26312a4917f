/**
 * Sealed events for tests of a store: real bytes with real keys and a real chain (P-33), the same for the same input. A
 * store suite needs no decider; it needs bytes it can recognise.
 */
import { hash } from 'node:crypto'
import canonicalize from 'canonicalize'
import type { RunIdentity } from '../../core/events/event.ts'
import { eventContent } from '../../core/events/event-content.ts'
import { keyText } from '../../core/events/event-key.ts'
import { isoFromMs } from '../../core/time.ts'
import type { OpenWrite, SealedEvent } from '../../ports/run-store.ts'

export interface EventSpec {
  readonly eventType: string
  /** A step's id, or another slot's text; the run's own by default. */
  readonly slot?: string
  readonly attempt?: number
  readonly payload?: Readonly<Record<string, unknown>>
  readonly data?: Readonly<Record<string, unknown>>
  /** The producer's clock, epoch milliseconds. */
  readonly emittedAt?: number
}

const TERMINAL: ReadonlySet<string> = new Set(['StepCompleted', 'StepFailed', 'StepSkipped'])

function sealEvent(run: RunIdentity, spec: EventSpec, runSeq: number, previous: Uint8Array): SealedEvent {
  const { eventType, slot = 'RUN', attempt = 1, payload = {}, emittedAt = 0 } = spec
  const idempotencyKey = eventKey(run, spec)
  const data = spec.data === undefined ? undefined : canonical(spec.data)
  const salt = data === undefined ? undefined : bytesOf(`${idempotencyKey}|salt`).subarray(0, 16)
  const record = canonical({
    ...identityOf(run),
    eventId: uuidOf(`${idempotencyKey}|${runSeq}`),
    eventType,
    idempotencyKey,
    runSeq,
    emittedAt: isoFromMs(emittedAt),
    emittedBy: 'engine',
    logicalAttemptId: attempt,
    engineAttemptId: 1,
    decision: { firstSeq: runSeq, cause: 'suite' },
    ...(slot === 'RUN' ? {} : { stepId: slot }),
    ...(data === undefined || salt === undefined ? {} : { dataHash: hexOf(salt, data) }),
    payload,
  })
  return {
    runSeq,
    eventType,
    idempotencyKey: Buffer.from(idempotencyKey, 'hex'),
    record,
    ...(data === undefined || salt === undefined ? {} : { data, salt }),
    chainHash: hash('sha256', Buffer.concat([previous, Buffer.from(record)]), 'buffer'),
    ...(TERMINAL.has(eventType) ? { terminalSlot: `${slot}#${attempt}` } : {}),
  }
}

/** A chain of events from the run's current head. */
export function sealEvents(
  run: RunIdentity,
  head: { readonly nextSeq: number; readonly headHash: Uint8Array },
  specs: readonly EventSpec[],
): readonly SealedEvent[] {
  let previous = head.headHash
  return specs.map((spec, index) => {
    const sealed = sealEvent(run, spec, head.nextSeq + index, previous)
    previous = sealed.chainHash
    return sealed
  })
}

export interface SuiteWrite extends OpenWrite {
  readonly spec: EventSpec
}

/** The argument of the open append, and the callback that seals it. */
export function openWrite(run: RunIdentity, spec: EventSpec): SuiteWrite {
  const { record, data } = sealEvent(run, spec, 0, new Uint8Array(32))
  return { spec, idempotencyKey: eventKey(run, spec), content: eventContent(record, data) }
}

export function openSeal(run: RunIdentity) {
  return (write: SuiteWrite, runSeq: number, previous: Uint8Array): SealedEvent =>
    sealEvent(run, write.spec, runSeq, previous)
}

function eventKey(run: RunIdentity, spec: EventSpec): string {
  const { eventType, slot = 'RUN', attempt = 1 } = spec
  return hash('sha256', keyText({ runId: run.runId, slot, attempt, eventType, planVersion: run.planVersion }))
}

function identityOf(run: RunIdentity): RunIdentity {
  const { runId, tenantId, projectId, environmentId, planId, planVersion } = run
  return { runId, tenantId, projectId, environmentId, planId, planVersion }
}

function canonical(value: unknown): string {
  return canonicalize(value) ?? 'null'
}

function bytesOf(text: string): Uint8Array {
  return hash('sha256', text, 'buffer')
}

function hexOf(salt: Uint8Array, text: string): string {
  return hash('sha256', Buffer.concat([salt, Buffer.from(text)]))
}

/** Has the form of a UUID v4, although it is derived. */
function uuidOf(text: string): string {
  const hex = hash('sha256', text)
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
