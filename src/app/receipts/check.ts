/**
 * Compares a run's log with the receipts that name it. The owner of the database can rewrite a whole chain, but not a
 * receipt kept elsewhere, so a hash that differs from its receipt proves that the log was rewritten.
 */
import { appendAll } from '../../core/collections/append-all.ts'
import type { ProblemCode } from '../../core/problems/registry.ts'
import type { ReceiptKey } from '../../ports/receipts.ts'
import type { RunRef, StoredEvent } from '../../ports/run-store.ts'
import { ANCHORED } from './issue.ts'
import { isoFromMs } from '../../core/time.ts'
import { isSignedBy, readReceipt, type Receipt, type ReceiptHead } from './receipts.ts'
import { hexOf } from '../log/sha256.ts'

export type Anchor = 'anchored' | 'not-anchored'

export interface ReceiptFinding {
  readonly code: Extract<
    ProblemCode,
    'RECEIPT_MISMATCH' | 'RECEIPT_INVALID' | 'RECEIPT_MISSING' | 'RECEIPT_KEY_MISMATCH'
  >
  readonly message: string
  readonly runSeq?: number
}

export interface ReceiptReport {
  readonly start: Anchor
  /** Absent while the run has not ended. */
  readonly end?: Anchor
  /** Keys whose receipts agree with the log. */
  readonly keyIds: readonly string[]
  /** Heads that a restore withdrew, according to a receipt. */
  readonly takenBack: number
  /** Receipts of unknown keys; they prove nothing. */
  readonly unknownKeys: readonly string[]
  readonly findings: readonly ReceiptFinding[]
}

export interface ReceiptCheck {
  readonly run: RunRef
  readonly events: readonly StoredEvent[]
  /** In the order of issue. Lines about other runs are skipped. */
  readonly lines: AsyncIterable<string> | Iterable<string>
  readonly keys: readonly ReceiptKey[]
  /** Only receipts of this public key count, and start and end must each have one. */
  readonly demanded?: string
  /** How far receipts were issued about this run, as the store says: whatever lies before must have one. */
  readonly settledSeq?: number
}

interface Named {
  readonly receipt: Receipt
  readonly head: ReceiptHead
}

export async function checkReceipts(check: ReceiptCheck): Promise<ReceiptReport> {
  const { events, keys, demanded } = check
  const findings: ReceiptFinding[] = []
  const unknown = new Set<string>()
  const valid: Named[] = []
  for (const one of await namedIn(check)) {
    const { keyId } = one.receipt.body
    const publicKey = keys.find((key) => key.keyId === keyId)?.publicKey
    if (publicKey === undefined || (demanded !== undefined && publicKey !== demanded)) unknown.add(keyId)
    else if (isSignedBy(one.receipt, publicKey)) valid.push(one)
    else findings.push(invalid(one))
  }
  const standing = valid.filter((one, index) => !isTakenBack(one, valid.slice(index + 1)))
  const stored = new Map(events.map((event) => [event.runSeq, event]))
  const agreed = standing.filter((one) => agrees(one, stored))
  appendAll(
    findings,
    standing.filter((one) => !agreed.includes(one)).map((one) => mismatch(one, stored)),
  )
  const anchorOf = (isIt: (type: string) => boolean): Anchor =>
    agreed.some(({ head, receipt }) => receipt.body.kind === 'heads' && isIt(head.eventType))
      ? 'anchored'
      : 'not-anchored'
  const start = anchorOf((type) => type === 'RunStarted')
  const hasEnd = events.some(({ eventType }) => ANCHORED.has(eventType) && eventType !== 'RunStarted')
  const end = hasEnd ? anchorOf((type) => type !== 'RunStarted') : undefined
  const hasStart = events.some(({ eventType }) => eventType === 'RunStarted')
  if (demanded !== undefined && ((hasStart && start === 'not-anchored') || end === 'not-anchored'))
    findings.push(unknown.size > 0 ? otherKey(demanded, [...unknown]) : missing(end))
  else appendAll(findings, unreceipted(check, valid))
  return {
    start,
    ...(end === undefined ? {} : { end }),
    keyIds: [...new Set(agreed.map(({ receipt }) => receipt.body.keyId))],
    takenBack: valid.length - standing.length,
    unknownKeys: [...unknown],
    findings,
  }
}

function unreceipted({ events, settledSeq = 0 }: ReceiptCheck, valid: readonly Named[]): readonly ReceiptFinding[] {
  const known = new Set(valid.map(({ head }) => head.runSeq))
  return events
    .filter(({ runSeq, eventType }) => runSeq <= settledSeq && ANCHORED.has(eventType) && !known.has(runSeq))
    .map(({ runSeq }) => ({
      code: 'RECEIPT_MISSING',
      runSeq,
      message: `the store says that a receipt about event ${runSeq} was issued, and there is none of a known key: name the folder with all receipts (--receipts)`,
    }))
}

async function namedIn({ run, lines }: ReceiptCheck): Promise<readonly Named[]> {
  const named: Named[] = []
  for await (const line of lines) {
    if (!line.includes(run.runId)) continue
    const receipt = readReceipt(line)
    const heads = receipt?.body.heads.filter((one) => one.runId === run.runId && one.tenantId === run.tenantId) ?? []
    if (receipt !== undefined)
      appendAll(
        named,
        heads.map((head) => ({ receipt, head })),
      )
  }
  return named
}

/** A later receipt about a restore to an earlier head withdraws statements about events after that head. */
function isTakenBack({ head, receipt }: Named, later: readonly Named[]): boolean {
  return later.some(
    (other) => other.receipt.body.kind === 'restore' && other.head.runSeq < head.runSeq && other.receipt !== receipt,
  )
}

function hashAt(stored: ReadonlyMap<number, StoredEvent>, runSeq: number): string | undefined {
  const event = stored.get(runSeq)
  return event === undefined ? undefined : hexOf(event.chainHash)
}

/** The hash, and for an anchored event also its storage time, which the chain does not cover. */
function agrees({ head, receipt }: Named, stored: ReadonlyMap<number, StoredEvent>): boolean {
  if (hashAt(stored, head.runSeq) !== head.chainHash) return false
  return receipt.body.kind !== 'heads' || head.at === storedAt(stored, head.runSeq)
}

function storedAt(stored: ReadonlyMap<number, StoredEvent>, runSeq: number): string | undefined {
  const at = stored.get(runSeq)?.persistedAt
  return at === undefined || !Number.isFinite(at) ? undefined : isoFromMs(at)
}

function mismatch({ receipt, head }: Named, stored: ReadonlyMap<number, StoredEvent>): ReceiptFinding {
  const { issuedAt } = receipt.body
  const found = hashAt(stored, head.runSeq) ?? 'no event'
  if (found === head.chainHash) {
    const message = `event ${head.runSeq} was stored at ${head.at}, says a receipt of ${issuedAt}; the store says ${storedAt(stored, head.runSeq) ?? 'no time'}`
    return { code: 'RECEIPT_MISMATCH', runSeq: head.runSeq, message }
  }
  const message = `event ${head.runSeq} had the hash ${head.chainHash} when a receipt was issued at ${issuedAt}; the log has ${found}`
  return { code: 'RECEIPT_MISMATCH', runSeq: head.runSeq, message }
}

function invalid({ receipt, head }: Named): ReceiptFinding {
  const { issuedAt, keyId } = receipt.body
  const message = `the receipt of ${issuedAt} about event ${head.runSeq} does not have the signature of key ${keyId}`
  return { code: 'RECEIPT_INVALID', runSeq: head.runSeq, message }
}

/** This run has receipts, but none of the named key: nothing is proved about the log. */
function otherKey(demanded: string, keyIds: readonly string[]): ReceiptFinding {
  const message = `the receipts of this run were signed by key ${keyIds.join(', ')}, not by the named key ${demanded.slice(0, 16)}…`
  return { code: 'RECEIPT_KEY_MISMATCH', message }
}

function missing(end: Anchor | undefined): ReceiptFinding {
  const what = end === undefined ? 'start' : 'start and end'
  return { code: 'RECEIPT_MISSING', message: `no receipt of the named key anchors the run's ${what}` }
}
