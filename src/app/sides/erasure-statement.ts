/**
 * A person who erases data signs a statement: the run, the last event, the reason, and the hash of every erased piece of data.
 * Without such a statement missing data is damage, whatever a record says, because anybody who can write to the database can
 * write a record.
 */
import { greatest } from '../../core/collections/extremes.ts'
import type { LogRecord, Payload } from '../../core/events/event.ts'
import type { ReceiptKey, ReceiptSigner } from '../../ports/receipts.ts'
import type { RunRef } from '../../ports/run-store.ts'
import { canonicalText } from '../log/canonical.ts'
import type { EvidenceFinding } from './finding.ts'
import { isSignature } from '../receipts/receipts.ts'
import { sha256Hex } from '../log/sha256.ts'

type Erasure = Omit<Payload<'ErasureRecorded'>, 'signed'>

/** `records`: the log up to the erasure; what comes after `erasedUpTo` is no part of it. */
function statementOf(run: RunRef, erasure: Erasure, records: readonly LogRecord[]): string {
  const { erasedUpTo, reason, actorId } = erasure
  const hashes = records
    .filter(({ runSeq, dataHash }) => runSeq <= erasedUpTo && dataHash !== undefined)
    .map(({ runSeq, dataHash }) => [runSeq, dataHash])
  return canonicalText({
    erasure: 'keelson-1',
    tenantId: run.tenantId,
    runId: run.runId,
    erasedUpTo,
    reason,
    ...(actorId === undefined ? {} : { actorId }),
    data: sha256Hex(canonicalText(hashes)),
  })
}

export async function signErasure(
  signer: ReceiptSigner,
  run: RunRef,
  erasure: Erasure,
  records: readonly LogRecord[],
): Promise<Payload<'ErasureRecorded'>> {
  const signature = await signer.sign(statementOf(run, erasure, records))
  return { ...erasure, signed: { keyId: signer.keyId, signature } }
}

export interface ErasureReport {
  /** Data up to this event may be missing, because its erasure is signed. 0 when no erasure is signed. */
  readonly signedUpTo: number
  readonly findings: readonly EvidenceFinding[]
}

/** The whole log of one run. */
export function checkErasures(records: readonly LogRecord[], keys: readonly ReceiptKey[]): ErasureReport {
  const erasures = records.filter(({ eventType }) => eventType === 'ErasureRecorded')
  const judged = erasures.map((record) => ({ record, why: unsigned(record, records, keys) }))
  const reachOf = (record: LogRecord): number => Number(record.payload?.['erasedUpTo'])
  const signedUpTo = greatest(
    judged.filter(({ why }) => why === undefined).map(({ record }) => reachOf(record)),
    0,
  )
  const findings = judged.flatMap(({ record, why }): EvidenceFinding[] => {
    if (why === undefined || reachOf(record) <= signedUpTo) return []
    const { runSeq } = record
    const message = `event ${runSeq} says that data up to event ${reachOf(record)} was erased, ${why}`
    return [{ code: 'ERASURE_UNSIGNED', runSeq, message }]
  })
  return { signedUpTo, findings }
}

function unsigned(record: LogRecord, records: readonly LogRecord[], keys: readonly ReceiptKey[]): string | undefined {
  const { signed, ...erasure } = record.payload as Payload<'ErasureRecorded'>
  if (signed === undefined) return 'and nobody signed it'
  const key = keys.find(({ keyId }) => keyId === signed.keyId)
  if (key === undefined) return `signed by key ${signed.keyId}, which is not known here`
  const before = records.filter(({ runSeq }) => runSeq < record.runSeq)
  if (isSignature(statementOf(record, erasure, before), signed.signature, key.publicKey)) return undefined
  return `but what it says does not have the signature of key ${signed.keyId}`
}

/** How far the log says that data was erased, whoever signed it. */
export function erasureReach(records: readonly LogRecord[]): number {
  const reaches = records
    .filter(({ eventType }) => eventType === 'ErasureRecorded')
    .map(({ payload }) => Number(payload?.['erasedUpTo']))
  return greatest(reaches, 0)
}
