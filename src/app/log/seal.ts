/**
 * Turns drafts into exact bytes: envelope, key, data hash, chain (P-14, P-33). Everything is checked before the first
 * byte is returned, so a draft that does not fit its schema stores nothing (EVT-25). This is the hot path of a run.
 */
import { EVENTS, type Decision, type EventType, type RunIdentity } from '../../core/events/event.ts'
import { keyText } from '../../core/events/event-key.ts'
import type { Draft } from '../../core/run/draft.ts'
import type { WrittenEvent } from '../../ports/engine.ts'
import type { Random } from '../../ports/random.ts'
import type { SealedEvent } from '../../ports/run-store.ts'
import { checkDraft, checkEnvelope, checkIdentity, checkTime, draftText, type ContentText } from './check-draft.ts'
import { chainHashOf, dataHashOf } from './event-hashes.ts'
import { identityText, recordText, type IdentityText, type RecordFields } from './record-text.ts'
import { bytesOfHex, sha256Hex } from './sha256.ts'

export interface SealInput {
  readonly identity: RunIdentity
  readonly drafts: readonly { readonly draft: Draft; readonly decision: Decision }[]
  /** runSeq of the first. */
  readonly firstSeq: number
  /** chainHash of the event before the first; 32 zero bytes for a new run. */
  readonly previousHash: Uint8Array
  /** RFC 3339, UTC. */
  readonly emittedAt: string
  readonly random: Random
}

export interface Sealed {
  readonly events: readonly SealedEvent[]
  /** The same events, for whoever is told of them. */
  readonly written: readonly WrittenEvent[]
  /** chainHash of the last event; `previousHash` when there was none. */
  readonly headHash: Uint8Array
}

/** Throws SCHEMA_VALIDATION_FAILED, PAYLOAD_TOO_LARGE or DECISION_DATA_TOO_LARGE; then nothing is sealed. */
export function sealEvents(input: SealInput): Sealed {
  const { identity, random, emittedAt } = input
  checkIdentity(identity)
  checkTime(emittedAt)
  const names = identityText(identity)
  const nextSalt = saltsFor(input.drafts, random)
  let headHash = input.previousHash
  let runSeq = input.firstSeq
  const written: WrittenEvent[] = []
  const events = input.drafts.map(({ draft, decision }) => {
    const text = draftText(draft)
    const fields: RecordFields = {
      eventId: random.uuid(),
      eventType: draft.eventType,
      runSeq: runSeq++,
      idempotencyKey: keyOf(draft, identity),
      emittedAt,
      emittedBy: EVENTS[draft.eventType].emittedBy,
      occurredAt: undefined,
      logicalAttemptId: draft.attempt,
      engineAttemptId: draft.engineAttempt ?? 1,
      causedBySignalId: draft.causedBySignalId,
      step: checkDraft(draft),
      decision,
    }
    checkEnvelope(fields)
    const sealed = sealOne(fields, names, draft.slot, text, headHash, nextSalt)
    headHash = sealed.chainHash
    written.push(writtenOf(fields, draft.payload))
    return sealed
  })
  return { events, written, headHash }
}

function writtenOf(fields: RecordFields, payload: object): WrittenEvent {
  const { eventType, eventId, runSeq, emittedAt, logicalAttemptId, engineAttemptId, step } = fields
  const about = { stepId: step?.stepId, itemIndex: step?.itemIndex, role: step?.role }
  return { eventType, eventId, runSeq, emittedAt, logicalAttemptId, engineAttemptId, ...about, payload }
}

function keyOf({ slot, attempt, eventType }: Draft, { runId, planVersion }: RunIdentity): string {
  return sha256Hex(keyText({ runId, slot, attempt, eventType, planVersion }))
}

export const SALT_BYTES = 16

/** One call for the randomness of a whole batch: a call per salt would cost more than the hash. */
function saltsFor(drafts: SealInput['drafts'], random: Random): () => Uint8Array {
  let count = 0
  for (const { draft } of drafts) if (draft.data !== undefined) count += 1
  const bytes = count === 0 ? new Uint8Array(0) : random.bytes(count * SALT_BYTES)
  let taken = 0
  return () => bytes.subarray(taken, (taken += SALT_BYTES))
}

const TERMINAL: ReadonlySet<EventType> = new Set<EventType>(['StepCompleted', 'StepFailed', 'StepSkipped'])

/** Seals one event whose content was checked and written before. */
export function sealOne(
  fields: RecordFields,
  identity: IdentityText,
  slot: string,
  { payload, data }: ContentText,
  previous: Uint8Array,
  nextSalt: () => Uint8Array,
): SealedEvent {
  const { eventType, runSeq, logicalAttemptId } = fields
  const salt = data === undefined ? undefined : nextSalt()
  const dataHash = data === undefined || salt === undefined ? undefined : dataHashOf(salt, data)
  const record = recordText(fields, identity, payload, dataHash)
  const idempotencyKey = bytesOfHex(fields.idempotencyKey)
  const sealed: Mutable<SealedEvent> = {
    runSeq,
    eventType,
    idempotencyKey,
    record,
    chainHash: chainHashOf(previous, record),
  }
  if (data !== undefined && salt !== undefined) {
    sealed.data = data
    sealed.salt = salt
  }
  if (TERMINAL.has(eventType)) sealed.terminalSlot = `${slot}#${logicalAttemptId}`
  return sealed
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] }
