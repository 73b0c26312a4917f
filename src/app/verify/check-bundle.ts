/**
 * Reads a bundle and proves it: every line whole and in its place, plan and blobs as their hashes say, the chain intact up to
 * the run's head, receipts in agreement. What does not fit is BUNDLE_BROKEN with the line where it breaks.
 */
import { brokenAt, bundleReader, needHashed, needRunLine, type BundleLine } from '../../core/bundle/bundle-lines.ts'
import { isImportedLog } from '../../core/events/imported.ts'
import { fail, KeelsonError, problem } from '../../core/problems/problem.ts'
import type { PlanSource } from '../../core/run/input.ts'
import type { ReceiptKey } from '../../ports/receipts.ts'
import type { StoredEvent } from '../../ports/run-store.ts'
import { compileGraph } from '../../core/plan/compile/graph.ts'
import type { Plan } from '../../core/plan/plan.ts'
import { checkDecisions, type DecisionCheck } from '../rederive/check-decisions.ts'
import { checkReceipts, type ReceiptReport } from '../receipts/check.ts'
import { checkValues } from '../sides/check-values.ts'
import { compareRow } from '../sides/compare-row.ts'
import { checkErasures, erasureReach } from '../sides/erasure-statement.ts'
import type { EvidenceFinding } from '../sides/finding.ts'
import { foldLog } from '../log/fold.ts'
import { planSourceOf } from '../loaded/plan-of-log.ts'
import type { LoadedPlan } from '../plans/load.ts'
import { misfiledEvents } from '../sides/misfiled-events.ts'
import { recordOf } from '../log/read-events.ts'
import type { BlobReader } from '../values/recorded-values.ts'
import { HASHING, type BundledEvent, type BundledRun } from '../log/run-bundle.ts'
import { bytesOfHex } from '../log/sha256.ts'
import { verifyChain, type ChainReport } from './chain.ts'
import type { SourceProof } from './check-source.ts'

export interface BundleReport {
  readonly run: BundledRun
  readonly lines: number
  readonly blobs: number
  readonly chain: ChainReport
  readonly receipts: ReceiptReport
  readonly decisions: DecisionCheck
  /** The bytes that the plan was made of, as the first event says; absent where it says nothing. */
  readonly planSource?: PlanSource
  /** Present where somebody brought the bytes. */
  readonly source?: SourceProof
  /** Erasures that nobody signed, and a wrong source; whatever else does not fit breaks the bundle. */
  readonly findings?: readonly EvidenceFinding[]
}

export interface BundleCheck {
  /** A public key of receipts, in hex, that the reader knows from elsewhere. */
  readonly demanded?: ReceiptKey
}

/** Whatever error reading the bundle causes, the bundle is what is broken. */
export async function checkBundle(lines: AsyncIterable<string>, check: BundleCheck = {}): Promise<BundleReport> {
  try {
    return await provenBundle(lines, check)
  } catch (thrown) {
    throw ofBundle(thrown)
  }
}

function ofBundle(thrown: unknown): unknown {
  // A file that cannot be read says nothing about what is in it.
  if (thrown instanceof Error && 'syscall' in thrown) return thrown
  if (thrown instanceof KeelsonError && (thrown.code === 'BUNDLE_BROKEN' || thrown.code.startsWith('RECEIPT_')))
    return thrown
  const why = thrown instanceof Error ? thrown.message : String(thrown)
  return new KeelsonError([problem('BUNDLE_BROKEN', `it cannot be read: ${why}`)], { cause: thrown })
}

async function provenBundle(lines: AsyncIterable<string>, check: BundleCheck): Promise<BundleReport> {
  const parts = await readParts(lines)
  const first = parts[0] ?? brokenAt(1, 'it does not begin with the run')
  needRunLine(first)
  const run = first.body as unknown as BundledRun
  for (const line of parts) needHashed(line, run.planSha256, HASHING)
  const eventLines = parts.filter(({ part }) => part === 'event')
  const events = eventLines.map(storedEventOf)
  const chain = verifyChain(events)
  if (chain.broken !== undefined) {
    const { runSeq, what } = chain.broken
    brokenAt(eventLines[chain.checked]?.number ?? 1, `event ${runSeq}: ${what}`)
  }
  if (chain.headHash !== run.headHash)
    brokenAt(eventLines.at(-1)?.number ?? 1, 'its log does not end at the head of the run')
  const bodies = (part: string): readonly BundleLine['body'][] =>
    parts.filter((line) => line.part === part).map(({ body }) => body)
  const { demanded } = check
  const keys = demanded === undefined ? (bodies('key') as unknown as readonly ReceiptKey[]) : [demanded]
  const receipts = await checkReceipts({
    run: { tenantId: run.tenantId, runId: run.runId },
    events,
    lines: bodies('receipt').map((body) => String(body['line'])),
    keys,
    ...(demanded === undefined ? {} : { demanded: demanded.publicKey }),
  })
  const blobs = new Map(bodies('blob').map(({ sha256, text }) => [String(sha256), String(text)]))
  const blob = (sha256: string) => Promise.resolve(blobs.get(sha256))
  const decisions = await checkDecisions(events, () => planIn(bodies('plan'), run), blob)
  const findings = await checkRest(run, eventLines, bodies('plan'), keys, blob)
  const told = findings.length === 0 ? {} : { findings }
  const planSource = planSourceOf(events)
  const made = planSource === undefined ? {} : { planSource }
  return { run, lines: parts.length, blobs: blobs.size, chain, receipts, decisions, ...made, ...told }
}

/** Compares the run part and the large values with the log in the bundle, and finds erasures that nobody signed. */
async function checkRest(
  run: BundledRun,
  lines: readonly BundleLine[],
  plans: readonly BundleLine['body'][],
  keys: readonly ReceiptKey[],
  blob: BlobReader,
): Promise<readonly EvidenceFinding[]> {
  const events = lines.map(storedEventOf)
  const read = events.map(recordOf)
  const records = read.flatMap((one) => (one.ok ? [one.value] : []))
  if (records.length !== events.length) return []
  // The large values of an imported log stayed where it came from, and its fold is not ours.
  const isOurs = !isImportedLog(records)
  const misfiled = [
    ...misfiledEvents(events, records),
    ...(isOurs ? (await checkValues(records, blob, erasureReach(records))).findings : []),
  ]
  const [first] = misfiled
  const lineOf = (runSeq: number): number => lines.find(({ body }) => body['runSeq'] === runSeq)?.number ?? 1
  if (first !== undefined) brokenAt(lineOf(first.runSeq ?? 0), first.message)
  const state = plans.length === 0 || !isOurs ? undefined : foldLog(records, planIn(plans, run).graph, new Set())?.end
  const storedAt = [events[0]?.persistedAt ?? 0, events.at(-1)?.persistedAt ?? 0] as const
  const [row] = compareRow(run, { records, storedAt, ...(state === undefined ? {} : { state }) })
  if (row !== undefined) brokenAt(1, `its ${row.name} is not that of its events: ${row.row}, not ${row.log}`)
  return checkErasures(records, keys).findings
}

/** The lines alone: each whole and in its place, whatever the log in them is like. */
export async function readBundle(
  lines: AsyncIterable<string>,
): Promise<{ readonly run: BundledRun; readonly events: number }> {
  const parts = await readParts(lines).catch((thrown: unknown) => {
    throw ofBundle(thrown)
  })
  const [first] = parts
  if (first?.part !== 'run') return brokenAt(1, 'it does not begin with the run')
  return { run: first.body as unknown as BundledRun, events: parts.filter(({ part }) => part === 'event').length }
}

/** Its bytes were checked against its hash with the other texts. */
function planIn(plans: readonly BundleLine['body'][], run: BundledRun): LoadedPlan {
  const text = plans[0]?.['text'] ?? fail('PLAN_NOT_FOUND', 'the bundle has no plan')
  const plan = JSON.parse(String(text)) as Plan
  return { plan, graph: compileGraph(plan), sha256: run.planSha256 }
}

async function readParts(lines: AsyncIterable<string>): Promise<readonly BundleLine[]> {
  const reader = bundleReader(HASHING)
  for await (const text of lines) reader.take(text)
  reader.end()
  return reader.lines
}

function storedEventOf({ body }: BundleLine): StoredEvent {
  const { idempotencyKey, chainHash, salt, ...event } = body as unknown as BundledEvent
  return {
    ...event,
    idempotencyKey: bytesOfHex(idempotencyKey),
    chainHash: bytesOfHex(chainHash),
    ...(salt === undefined ? {} : { salt: bytesOfHex(salt) }),
  }
}
