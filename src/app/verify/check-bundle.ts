/**
 * Reads a bundle and proves it: every line whole and in its place, plan and blobs as their hashes say, the chain intact up to
 * the run's head, receipts in agreement. What does not fit is BUNDLE_BROKEN with the line where it breaks.
 */
import { isImportedLog } from '../../core/events/imported.ts'
import { fail, KeelsonError, problem } from '../../core/problems/problem.ts'
import type { PlanSource } from '../../core/run/input.ts'
import type { ReceiptKey } from '../../ports/receipts.ts'
import type { StoredEvent } from '../../ports/run-store.ts'
import { compileGraph } from '../../core/plan/compile/graph.ts'
import type { Plan } from '../../core/plan/plan.ts'
import { wrongShape } from './bundle-shape.ts'
import { checkDecisions, type DecisionCheck } from '../rederive/check-decisions.ts'
import { checkReceipts, type ReceiptReport } from '../receipts/check.ts'
import { checkValues } from '../sides/check-values.ts'
import { compareRow } from '../sides/compare-row.ts'
import { checkErasures, erasureReach } from '../sides/erasure-statement.ts'
import type { EvidenceFinding } from '../sides/finding.ts'
import { canonicalText } from '../log/canonical.ts'
import { foldLog } from '../log/fold.ts'
import { planSourceOf } from '../loaded/plan-of-log.ts'
import type { LoadedPlan } from '../plans/load.ts'
import { misfiledEvents } from '../sides/misfiled-events.ts'
import { recordOf } from '../log/read-events.ts'
import type { BlobReader } from '../values/recorded-values.ts'
import { BUNDLE_VERSION, linkOf, type BundledEvent, type BundledRun } from '../log/run-bundle.ts'
import { bytesOfHex, sha256Hex } from '../log/sha256.ts'
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

interface Line {
  readonly number: number
  readonly part: string
  readonly body: Readonly<Record<string, unknown>>
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
  const first = parts[0]
  if (first?.part !== 'run') return broken(1, 'it does not begin with the run')
  const run = first.body as unknown as BundledRun
  if (run.version > BUNDLE_VERSION) broken(1, `it has version ${run.version}; this Keelson reads ${BUNDLE_VERSION}`)
  for (const line of parts) checkText(line, run)
  const eventLines = parts.filter(({ part }) => part === 'event')
  const events = eventLines.map(storedEventOf)
  const chain = verifyChain(events)
  if (chain.broken !== undefined) {
    const { runSeq, what } = chain.broken
    broken(eventLines[chain.checked]?.number ?? 1, `event ${runSeq}: ${what}`)
  }
  if (chain.headHash !== run.headHash)
    broken(eventLines.at(-1)?.number ?? 1, 'its log does not end at the head of the run')
  const bodies = (part: string): readonly Line['body'][] =>
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
  lines: readonly Line[],
  plans: readonly Line['body'][],
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
  if (first !== undefined) broken(lineOf(first.runSeq ?? 0), first.message)
  const state = plans.length === 0 || !isOurs ? undefined : foldLog(records, planIn(plans, run).graph, new Set())?.end
  const storedAt = [events[0]?.persistedAt ?? 0, events.at(-1)?.persistedAt ?? 0] as const
  const [row] = compareRow(run, { records, storedAt, ...(state === undefined ? {} : { state }) })
  if (row !== undefined) broken(1, `its ${row.name} is not that of its events: ${row.row}, not ${row.log}`)
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
  if (first?.part !== 'run') return broken(1, 'it does not begin with the run')
  return { run: first.body as unknown as BundledRun, events: parts.filter(({ part }) => part === 'event').length }
}

/** Its bytes were checked against its hash with the other texts. */
function planIn(plans: readonly Line['body'][], run: BundledRun): LoadedPlan {
  const text = plans[0]?.['text'] ?? fail('PLAN_NOT_FOUND', 'the bundle has no plan')
  const plan = JSON.parse(String(text)) as Plan
  return { plan, graph: compileGraph(plan), sha256: run.planSha256 }
}

async function readParts(lines: AsyncIterable<string>): Promise<readonly Line[]> {
  const parts: Line[] = []
  const seen = new Set<string>()
  let link = ''
  for await (const text of lines) {
    const number = parts.length + 1
    if (parts.at(-1)?.part === 'end') broken(number, 'there is more after its end')
    const line = parseLine(text) ?? broken(number, 'the line is torn')
    const { part, body } = line
    if (linkOf(link, part, body) !== line.link) broken(number, 'the line was altered, moved or is not of this bundle')
    const wrong = wrongShape(part, body, seen)
    if (wrong !== undefined) broken(number, wrong)
    seen.add(part)
    link = line.link
    parts.push({ number, part, body })
  }
  const last = parts.at(-1)
  if (last?.part !== 'end') broken(parts.length + 1, 'the file ends too early: it is torn')
  else if (last.body['lines'] !== parts.length) broken(parts.length, 'it says that it has another number of lines')
  return parts
}

function parseLine(text: string): { part: string; link: string; body: Line['body'] } | undefined {
  try {
    const parsed = JSON.parse(text) as Record<string, unknown>
    const { part, link, body } = parsed
    const whole =
      // A key that occurs twice may be read differently by other programs; so only the canonical form of a value is accepted.
      canonicalText(parsed) === text &&
      Object.keys(parsed).length === 3 &&
      typeof part === 'string' &&
      typeof link === 'string' &&
      typeof body === 'object' &&
      body !== null &&
      !Array.isArray(body)
    return whole ? { part, link, body: body as Line['body'] } : undefined
  } catch {
    return undefined
  }
}

function checkText({ number, part, body }: Line, run: BundledRun): void {
  if (part !== 'plan' && part !== 'blob') return
  const { sha256, text } = body
  if (typeof text !== 'string' || sha256Hex(text) !== sha256) broken(number, `the ${part} does not have its hash`)
  if (part === 'plan' && sha256 !== run.planSha256) broken(number, "it is not the run's plan")
}

function storedEventOf({ body }: Line): StoredEvent {
  const { idempotencyKey, chainHash, salt, ...event } = body as unknown as BundledEvent
  return {
    ...event,
    idempotencyKey: bytesOfHex(idempotencyKey),
    chainHash: bytesOfHex(chainHash),
    ...(salt === undefined ? {} : { salt: bytesOfHex(salt) }),
  }
}

function broken(line: number, what: string): never {
  return fail('BUNDLE_BROKEN', `line ${line}: ${what}`, { details: { line } })
}
