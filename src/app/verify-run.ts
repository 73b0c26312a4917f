/** Everything that can be proved about a run's stored log: its chain, that its end is not missing, its receipts, its decisions. */
import { fail } from '../core/problems/problem.ts'
import type { ReceiptBook, ReceiptKey } from '../ports/receipts.ts'
import type { RunRow, RunStore, StoredEvent } from '../ports/run-store.ts'
import { checkDecisions, type DecisionCheck } from './check-decisions.ts'
import { checkReceipts, type ReceiptReport } from './check-receipts.ts'
import { compareRow, type RowDifference } from './compare-row.ts'
import { FIRST_PREVIOUS } from './event-hashes.ts'
import { PlanShelf } from './load-plan.ts'
import { hexOf } from './sha256.ts'
import { readSoundLog } from './sound-log.ts'
import { storedEvents } from './stored-events.ts'
import { verifyChain, type ChainReport } from './verify-chain.ts'

export interface RunProof {
  readonly chain: ChainReport
  readonly receipts: ReceiptReport
  /** Absent when the chain is broken: what was altered decides nothing. */
  readonly decisions?: DecisionCheck
  /** Hex; the log ends before the head that the run row names. */
  readonly headExpected?: string
  /** Where the run row says something else than the log. Absent for a bundle, which is checked by itself. */
  readonly row?: readonly RowDifference[]
}

/** `demanded`: only receipts of this key count, and there must be some. */
export async function verifyRun(
  store: RunStore,
  { runKey }: RunRow,
  book: ReceiptBook,
  demanded?: ReceiptKey,
): Promise<RunProof> {
  // Read before the events: what is added meanwhile lies beyond its head.
  const row = (await store.getRun(runKey)) ?? fail('RUN_NOT_FOUND', `no run has the key ${runKey}`)
  const events: StoredEvent[] = []
  for await (const event of storedEvents(store, runKey)) events.push(event)
  const chain = verifyChain(events)
  const receipts = await checkReceipts({
    run: { tenantId: row.tenantId, runId: row.runId },
    events,
    lines: book.lines.read(),
    keys: demanded === undefined ? await book.keys.known() : [demanded],
    ...(demanded === undefined ? {} : { demanded: demanded.publicKey }),
  })
  const head = events.findLast((event) => event.runSeq < row.nextSeq)?.chainHash ?? FIRST_PREVIOUS
  const isCut = chain.broken === undefined && hexOf(head) !== hexOf(row.headHash)
  const plans = new PlanShelf(store)
  const decisions =
    chain.broken === undefined
      ? {
          decisions: await checkDecisions(
            events,
            () => plans.get(row.planSha256),
            (sha256) => store.getBlob(runKey, sha256),
          ),
        }
      : {}
  const differences = await compareRow(store, row, await readSoundLog(store, plans, row))
  return {
    chain,
    receipts,
    ...decisions,
    ...(isCut ? { headExpected: hexOf(row.headHash) } : {}),
    ...(differences.length === 0 ? {} : { row: differences }),
  }
}

/** The log itself is what it was: chain, end, data and receipts. */
export function isLogWhole({ chain, receipts, headExpected }: RunProof): boolean {
  const { broken, missingData } = chain
  return (
    broken === undefined && missingData.length === 0 && headExpected === undefined && receipts.findings.length === 0
  )
}

/** The log, and the row that is folded from it. */
export function isWhole(proof: RunProof): boolean {
  return isLogWhole(proof) && proof.row === undefined
}
