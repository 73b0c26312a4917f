/**
 * What all receipts together say about a store: runs that are in receipts and not in the store, and receipts that are missing.
 */
import type { ReceiptBook, ReceiptKey } from '../../ports/receipts.ts'
import type { RunStore } from '../../ports/run-store.ts'
import { RECEIPTS } from '../receipts/issue.ts'
import { isSignedBy, readReceipt } from '../receipts/receipts.ts'
import type { EvidenceFinding } from '../sides/finding.ts'

/** Lines by the run they name. */
export type ReceiptIndex = ReadonlyMap<string, readonly string[]>

interface ReceiptsOfStore {
  readonly store: Pick<RunStore, 'findRun'>
  readonly book: ReceiptBook
  /** Only receipts of this key count. */
  readonly demanded?: ReceiptKey
}

/** Read once: each run is then compared with the lines that name it, not with all there are. */
export async function receiptsByRun({ lines }: ReceiptBook): Promise<ReceiptIndex> {
  const found = new Map<string, string[]>()
  for await (const line of lines.read()) {
    const heads = readReceipt(line)?.body.heads ?? []
    for (const runId of new Set(heads.map((head) => head.runId))) found.set(runId, [...(found.get(runId) ?? []), line])
  }
  return found
}

/**
 * How far receipts were issued is kept in the store, and the receipts lie beside it: if the store says that receipts were issued
 * and not a single one is found, they were deleted or are in another place.
 */
export async function missingReceipts(
  store: Pick<RunStore, 'feedStatus'>,
  receipts: ReceiptIndex,
  begun: number,
): Promise<readonly EvidenceFinding[]> {
  if (receipts.size > 0 || begun === 0) return []
  const { runsBehind } = await store.feedStatus(RECEIPTS)
  const signed = begun - runsBehind
  if (signed <= 0) return []
  const message = `receipts were issued about ${signed} of the runs here at least, and there is none: name the folder they lie in (--receipts)`
  return [{ code: 'RECEIPT_MISSING', message }]
}

/** A run that was deleted completely leaves nothing in the store, but the receipts about it are kept elsewhere. */
export async function missingRuns({ store, book, demanded }: ReceiptsOfStore): Promise<readonly EvidenceFinding[]> {
  const keys = demanded === undefined ? await book.keys.known() : [demanded]
  const looked = new Set<string>()
  const findings: EvidenceFinding[] = []
  for await (const line of book.lines.read()) {
    const receipt = readReceipt(line)
    const key = keys.find(({ keyId }) => keyId === receipt?.body.keyId)
    if (receipt === undefined || key === undefined || !isSignedBy(receipt, key.publicKey)) continue
    for (const { tenantId, runId } of receipt.body.heads) {
      const name = JSON.stringify([tenantId, runId])
      if (looked.has(name)) continue
      looked.add(name)
      if ((await store.findRun({ tenantId, runId })) !== undefined) continue
      const message = `a receipt of ${receipt.body.issuedAt} is about run ${runId} of tenant ${tenantId}, which is not here`
      findings.push({ code: 'RUN_MISSING', message })
    }
  }
  return findings
}
