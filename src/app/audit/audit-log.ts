/**
 * Writes the audit log (AUT-12): what somebody did or was refused becomes canonical JSON that names its place and the hash of the record
 * before it, and is signed with an HMAC. The chain shows what was changed; the HMAC shows that no outsider made the chain anew.
 */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto'
import { AUDIT_FORM } from '../../core/audit/audit-chain.ts'
import { isoFromMs } from '../../core/time.ts'
import type { AuditLog, AuditRow, AuditType, SealedAudit } from '../../ports/audit-log.ts'
import type { Clock } from '../../ports/clock.ts'
import type { SigningKey, SigningKeys } from '../../ports/signing-keys.ts'
import { canonicalText } from '../log/canonical.ts'
import { hexOf, sha256Bytes } from '../log/sha256.ts'

/**
 * Ids and codes only. There is no field for free text on purpose: beyond the actor's id a record holds nothing personal, for nothing
 * can be erased from it (AUT-11).
 */
export interface AuditFact {
  readonly type: AuditType
  readonly actorId: string
  /** What was asked for, such as RUN_CANCEL. */
  readonly action: string
  /** The call by which it was asked, such as cancelExecution. */
  readonly call?: string
  /** Absent where nobody had to decide. */
  readonly decision?: 'GRANTED' | 'DENIED'
  /** The registered code of a refusal or a failure. */
  readonly reasonCode?: string
  /** Why they did it, where they said so: a word of a closed list. */
  readonly because?: string
  /** The id of what it was about: a run, a plan, a key. */
  readonly target?: string
  readonly policyDecisionId?: string
  readonly correlationId?: string
  /** For what is counted instead of recorded one by one. */
  readonly count?: number
}

export interface AuditWriter {
  readonly log: AuditLog
  readonly keys: SigningKeys
  readonly clock: Clock
}

/** Resolves when all of them are stored, in this order; rejects when none is. */
export async function recordAudit(
  { log, keys, clock }: AuditWriter,
  tenantId: string,
  facts: readonly AuditFact[],
): Promise<readonly AuditRow[]> {
  const key = await keys.current()
  const at = clock.now()
  return log.appendAudit(tenantId, facts, (fact, position, previous) =>
    sealAudit(key, fact, { tenantId, position, previous, at }),
  )
}

interface AuditPlace {
  readonly tenantId: string
  readonly position: number
  readonly previous: Uint8Array
  readonly at: number
}

function sealAudit(key: SigningKey, fact: AuditFact, { tenantId, position, previous, at }: AuditPlace): SealedAudit {
  const { keyId } = key
  const { type, actorId, action, call, decision, reasonCode, because, target } = fact
  const { policyDecisionId, correlationId, count } = fact
  // In the order of the text, so that nothing has to be sorted.
  const record = canonicalText({
    action,
    actorId,
    at: isoFromMs(at),
    audit: AUDIT_FORM,
    because,
    call,
    correlationId,
    count,
    decision,
    keyId,
    policyDecisionId,
    position,
    previous: hexOf(previous),
    reasonCode,
    target,
    tenantId,
    type,
  } satisfies Record<keyof AuditFact, unknown> & Record<string, unknown>)
  return { type, at, record, hash: sha256Bytes(record), keyId, mac: auditMac(key, record) }
}

/** Made once for each key: making one costs as much as a signature. */
const keyObjects = new WeakMap<Uint8Array, KeyObject>()

function keyObjectOf(secret: Uint8Array): KeyObject {
  const known = keyObjects.get(secret)
  if (known !== undefined) return known
  const made = createSecretKey(secret)
  keyObjects.set(secret, made)
  return made
}

/** The key signs tokens of tasks too: the form in front keeps one from ever being taken for the other. */
export function auditMac({ secret }: SigningKey, record: string): Uint8Array {
  return createHmac('sha256', keyObjectOf(secret)).update(`${AUDIT_FORM}\n${record}`).digest()
}
