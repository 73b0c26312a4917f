/**
 * Everything that can be proved about a stored run: its chain, that its end is not missing, its receipts, its decisions; that its
 * row and everything else that is stored for it agree with the log, and that missing data was erased under a signature.
 */
import { fail } from '../../core/problems/problem.ts'
import type { PlanSource } from '../../core/run/input.ts'
import type { ReceiptBook, ReceiptKey } from '../../ports/receipts.ts'
import type { RunRow, RunStore, StoredEvent } from '../../ports/run-store.ts'
import { checkDecisions, type DecisionCheck } from '../rederive/check-decisions.ts'
import { checkReceipts, type ReceiptReport } from '../receipts/check.ts'
import { RECEIPTS } from '../receipts/issue.ts'
import { checkSides, type SideReport } from '../sides/check-sides.ts'
import type { RowDifference } from '../sides/compare-row.ts'
import { FIRST_PREVIOUS } from '../log/event-hashes.ts'
import type { EvidenceFinding } from '../sides/finding.ts'
import { PlanShelf } from '../plans/load.ts'
import { planShaOf, planSourceOf } from '../loaded/plan-of-log.ts'
import { hexOf } from '../log/sha256.ts'
import { storedEvents } from '../log/stored-events.ts'
import { verifyChain, type ChainReport } from './chain.ts'
import type { SourceProof } from './check-source.ts'

export interface RunProof {
  readonly chain: ChainReport
  readonly receipts: ReceiptReport
  /** Absent when the chain is broken: decisions of an altered log prove nothing. */
  readonly decisions?: DecisionCheck
  /** Hex; the log ends before the head that the run row names. */
  readonly headExpected?: string
  /** Where the run row says something else than the log. */
  readonly row?: readonly RowDifference[]
  /** Large values that were there and were what the log says. */
  readonly values?: number
  /** Hashes of stored values that nobody names: left by a process that died before its commit, or put there. */
  readonly strayValues?: readonly string[]
  /** The bytes that the plan was made of, as the first event says; absent where it says nothing. */
  readonly planSource?: PlanSource
  /** Present where somebody brought the bytes. */
  readonly source?: SourceProof
  /** Whatever else does not fit. */
  readonly findings?: readonly EvidenceFinding[]
}

/** The book itself, or the lines of it that name the run. */
export type ReceiptSource = Pick<ReceiptBook, 'keys'> & {
  readonly lines: ReceiptBook['lines'] | readonly string[]
  /** They are all there should be: one that the store says was issued and is not there is reported. */
  readonly complete?: boolean
}

const TRIES = 5

/** `demanded`: only receipts of this key count, and there must be some. */
export async function verifyRun(
  store: RunStore,
  { runKey }: RunRow,
  book: ReceiptSource,
  demanded?: ReceiptKey,
): Promise<RunProof> {
  for (let tries = 1; ; tries += 1) {
    const { row, events } = await readWhole(store, runKey)
    const proof = await proveRun(store, row, events, book, demanded)
    // If the run moved meanwhile, the rows may be newer than the log that was read.
    if (isWhole(proof) || tries === TRIES || (await rowOf(store, runKey)).updatedAt === row.updatedAt) return proof
  }
}

async function proveRun(
  store: RunStore,
  row: RunRow,
  events: readonly StoredEvent[],
  book: ReceiptSource,
  demanded: ReceiptKey | undefined,
): Promise<RunProof> {
  const { runKey } = row
  const chain = verifyChain(events)
  const keys = demanded === undefined ? await book.keys.known() : [demanded]
  const receipts = await checkReceipts({
    run: { tenantId: row.tenantId, runId: row.runId },
    events,
    lines: 'read' in book.lines ? book.lines.read() : book.lines,
    keys,
    ...(book.complete === true ? { settledSeq: await store.settledSeq(runKey, RECEIPTS) } : {}),
    ...(demanded === undefined ? {} : { demanded: demanded.publicKey }),
  })
  const head = events.findLast((event) => event.runSeq < row.nextSeq)?.chainHash ?? FIRST_PREVIOUS
  const isCut = chain.broken === undefined && hexOf(head) !== hexOf(row.headHash)
  const plans = new PlanShelf(store)
  // As the log says: a row that names another plan is found in this way.
  const plan = () => plans.get(row.tenantId, planShaOf(events) ?? row.planSha256)
  const blob = (sha256: string) => store.getBlob(runKey, sha256)
  const decisions = chain.broken === undefined ? { decisions: await checkDecisions(events, plan, blob) } : {}
  const planSource = chain.broken === undefined ? planSourceOf(events) : undefined
  const sides = await checkSides({ store, row, events, keys, plan, whole: chain.broken === undefined })
  return {
    chain,
    receipts,
    ...decisions,
    ...(isCut ? { headExpected: hexOf(row.headHash) } : {}),
    ...(planSource === undefined ? {} : { planSource }),
    ...told(sides),
  }
}

function told({ row, values, strayValues, findings }: SideReport): Partial<RunProof> {
  return {
    ...(row.length === 0 ? {} : { row }),
    ...(values === 0 ? {} : { values }),
    ...(strayValues.length === 0 ? {} : { strayValues }),
    ...(findings.length === 0 ? {} : { findings }),
  }
}

async function rowOf(store: RunStore, runKey: number): Promise<RunRow> {
  return (await store.getRun(runKey)) ?? fail('RUN_NOT_FOUND', `no run has the key ${runKey}`)
}

/** The row before and after the events: while a run moves, what is added lies beyond its head. */
async function readWhole(
  store: RunStore,
  runKey: number,
): Promise<{ readonly row: RunRow; readonly events: readonly StoredEvent[] }> {
  for (let tries = 1; ; tries += 1) {
    const row = await rowOf(store, runKey)
    const events: StoredEvent[] = []
    for await (const event of storedEvents(store, runKey)) events.push(event)
    const isBeyond = (events.at(-1)?.runSeq ?? 0) >= row.nextSeq
    if (!isBeyond || (await rowOf(store, runKey)).nextSeq === row.nextSeq) return { row, events }
    if (tries === TRIES) return { row, events: events.filter(({ runSeq }) => runSeq < row.nextSeq) }
  }
}

/** The log itself is what it was: chain, end, data and receipts. */
export function isLogWhole({ chain, receipts, headExpected }: RunProof): boolean {
  const { broken, missingData } = chain
  return (
    broken === undefined && missingData.length === 0 && headExpected === undefined && receipts.findings.length === 0
  )
}

/** The log, and everything that must say the same. */
export function isWhole(proof: RunProof): boolean {
  return isLogWhole(proof) && proof.row === undefined && proof.findings === undefined
}
