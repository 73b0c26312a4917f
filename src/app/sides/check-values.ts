/**
 * Values that are too large for their event lie beside the log, and the chained record names each by hash and length (P-43).
 * Every value must exist and match its hash; a missing value must have been erased under a signature.
 */
import type { LogRecord } from '../../core/events/event.ts'
import type { EvidenceFinding } from './finding.ts'
import type { BlobReader } from '../values/recorded-values.ts'
import { sha256Hex } from '../log/sha256.ts'

export interface NamedValue {
  readonly sha256: string
  readonly sizeBytes?: number
  /** The first event that names it. */
  readonly runSeq: number
}

type Ref = { readonly sha256: string; readonly sizeBytes?: number }

/** Every stored value that a log names, once. */
export function namedValues(records: readonly LogRecord[]): ReadonlyMap<string, NamedValue> {
  const named = new Map<string, NamedValue>()
  for (const { payload = {}, eventType, runSeq } of records) {
    const captures = (payload['captures'] ?? []) as readonly { readonly ref?: Ref }[]
    const refs = [payload['inputRef'], payload['resultRef'], payload['outputRef'], ...captures.map(({ ref }) => ref)]
    // Its list lies under the hash of its text; how long that is, the event does not say. One of no items is told whole
    // by its count, and a run that takes it over does not keep it.
    if (eventType === 'FanOutExpanded' && payload['count'] !== 0) refs.push({ sha256: payload['sha256'] })
    for (const ref of refs as readonly (Ref | undefined)[])
      if (ref !== undefined && !named.has(ref.sha256)) named.set(ref.sha256, { ...ref, runSeq })
  }
  return named
}

export interface ValueReport {
  readonly checked: number
  readonly findings: readonly EvidenceFinding[]
}

/** `goneUpTo`: values of events up to there may have been erased. */
export async function checkValues(
  records: readonly LogRecord[],
  blob: BlobReader,
  goneUpTo: number,
): Promise<ValueReport> {
  const findings: EvidenceFinding[] = []
  let checked = 0
  for (const value of namedValues(records).values()) {
    const text = await blob(value.sha256)
    if (text !== undefined) checked += 1
    const finding = text === undefined ? missing(value, goneUpTo) : alteredValue(value, text)
    if (finding !== undefined) findings.push(finding)
  }
  return { checked, findings }
}

function missing({ sha256, runSeq }: NamedValue, goneUpTo: number): EvidenceFinding | undefined {
  if (runSeq <= goneUpTo) return undefined
  const message = `event ${runSeq} names the stored value ${sha256}, which is missing`
  return { code: 'VALUE_MISSING', runSeq, message }
}

function alteredValue({ sha256, sizeBytes, runSeq }: NamedValue, text: string): EvidenceFinding | undefined {
  const found = sha256Hex(text)
  const length = Buffer.byteLength(text)
  if (found === sha256 && (sizeBytes === undefined || sizeBytes === length)) return undefined
  const is = found === sha256 ? `has ${length} bytes, not ${sizeBytes}` : `has the hash ${found}`
  return { code: 'VALUE_ALTERED', runSeq, message: `the stored value ${sha256} that event ${runSeq} names ${is}` }
}
