/**
 * A run as one self-contained text: its row, its plan, every event with data and salt, blobs, receipts and the keys to
 * check them. Each line carries a hash over itself and the line before, so that a damaged line is located.
 */
import { BUNDLE_VERSION, linkText, type BundleHashing } from '../../core/bundle/bundle-lines.ts'
import { runFileName } from '../../core/file-name.ts'
import type { ReceiptBook } from '../../ports/receipts.ts'
import type { RunRow, RunStore, StoredEvent } from '../../ports/run-store.ts'
import { canonicalText } from './canonical.ts'
import { hexOf, sha256Hex } from './sha256.ts'
import { storedEvents } from './stored-events.ts'

export const HASHING: BundleHashing = { canonical: canonicalText, sha256Hex }

/** In this order. A reader skips parts it does not know. */
export type BundlePart = 'run' | 'plan' | 'event' | 'blob' | 'key' | 'receipt' | 'end'

/** An event's columns; bytes in hex, texts exactly as stored. */
export type BundledEvent = Omit<StoredEvent, 'idempotencyKey' | 'salt' | 'chainHash'> & {
  readonly idempotencyKey: string
  readonly chainHash: string
  readonly salt?: string
}

export type BundledRun = Omit<RunRow, 'runKey' | 'lease' | 'headHash'> & {
  readonly version: number
  readonly headHash: string
}

export function linkOf(previous: string, part: string, body: unknown): string {
  return sha256Hex(linkText(previous, part, body, HASHING))
}

/** The lines of a bundle. They must still match `row` when they are read back; `checkBundle` checks that. */
export async function* bundleLines(store: RunStore, row: RunRow, book?: ReceiptBook): AsyncGenerator<string> {
  let link = ''
  let count = 0
  const line = (part: BundlePart, body: unknown): string => {
    link = linkOf(link, part, body)
    count += 1
    return canonicalText({ body, link, part })
  }
  yield line('run', bundledRun(row))
  const plan = await store.getPlan(row.tenantId, row.planSha256)
  if (plan !== undefined) yield line('plan', { sha256: row.planSha256, text: plan })
  const mentioned = new Set<string>()
  for await (const event of storedEvents(store, row.runKey)) {
    yield line('event', bundledEvent(event))
    for (const text of [event.record, event.data]) noteHashes(jsonOrNothing(text), mentioned)
  }
  for (const sha256 of mentioned) {
    const text = await store.getBlob(row.runKey, sha256)
    if (text !== undefined) yield line('blob', { sha256, text })
  }
  if (book !== undefined) {
    for (const key of await book.keys.known()) yield line('key', key)
    for await (const receipt of book.lines.read())
      if (receipt.includes(row.runId)) yield line('receipt', { line: receipt })
  }
  yield line('end', { lines: count + 1 })
}

/** The name of a run's bundle: another head gives another name, so that no bundle replaces another. */
export function bundleName(row: RunRow): string {
  return `${runFileName(row, sha256Hex)}.${hexOf(row.headHash).slice(0, 12)}.jsonl`
}

function bundledRun({ runKey: _key, lease: _lease, headHash, ...row }: RunRow): BundledRun {
  return { version: BUNDLE_VERSION, ...row, headHash: hexOf(headHash) }
}

function bundledEvent({ idempotencyKey, salt, chainHash, ...event }: StoredEvent): BundledEvent {
  return {
    ...event,
    idempotencyKey: hexOf(idempotencyKey),
    chainHash: hexOf(chainHash),
    ...(salt === undefined ? {} : { salt: hexOf(salt) }),
  }
}

/** References in a damaged event cannot be read; it is bundled as it is. */
function jsonOrNothing(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as unknown)
  } catch {
    return undefined
  }
}

/** A hash may refer to a blob wherever a value may be. */
function noteHashes(value: unknown, found: Set<string>): void {
  if (typeof value !== 'object' || value === null) return
  for (const [name, inner] of Object.entries(value)) {
    if (name === 'sha256' && typeof inner === 'string') found.add(inner)
    else noteHashes(inner, found)
  }
}
