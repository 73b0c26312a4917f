/**
 * Reads a bundle and proves it: every line whole and in its place, plan and blobs as their hashes say, the chain intact up to
 * the run's head, receipts in agreement. What does not fit is BUNDLE_BROKEN with the line where it breaks.
 */
import { fail } from '../core/problems/problem.ts'
import type { ReceiptKey } from '../ports/receipts.ts'
import type { StoredEvent } from '../ports/run-store.ts'
import { compileGraph } from '../core/plan/graph.ts'
import type { Plan } from '../core/plan/plan.ts'
import { checkDecisions, type DecisionCheck } from './check-decisions.ts'
import { checkReceipts, type ReceiptReport } from './check-receipts.ts'
import type { LoadedPlan } from './load-plan.ts'
import { BUNDLE_VERSION, linkOf, type BundledEvent, type BundledRun } from './run-bundle.ts'
import { bytesOfHex, sha256Hex } from './sha256.ts'
import { verifyChain, type ChainReport } from './verify-chain.ts'

export interface BundleReport {
  readonly run: BundledRun
  readonly lines: number
  readonly blobs: number
  readonly chain: ChainReport
  readonly receipts: ReceiptReport
  readonly decisions: DecisionCheck
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

export async function checkBundle(lines: AsyncIterable<string>, check: BundleCheck = {}): Promise<BundleReport> {
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
  checkIdentity(eventLines[0], run)
  const bodies = (part: string): readonly Line['body'][] =>
    parts.filter((line) => line.part === part).map(({ body }) => body)
  const { demanded } = check
  const receipts = await checkReceipts({
    run: { tenantId: run.tenantId, runId: run.runId },
    events,
    lines: bodies('receipt').map((body) => String(body['line'])),
    keys: demanded === undefined ? (bodies('key') as unknown as readonly ReceiptKey[]) : [demanded],
    ...(demanded === undefined ? {} : { demanded: demanded.publicKey }),
  })
  const blobs = new Map(bodies('blob').map(({ sha256, text }) => [String(sha256), String(text)]))
  const decisions = await checkDecisions(
    events,
    () => planIn(bodies('plan'), run),
    (sha256) => Promise.resolve(blobs.get(sha256)),
  )
  return { run, lines: parts.length, blobs: blobs.size, chain, receipts, decisions }
}

/** The lines alone: each whole and in its place, whatever the log in them is like. */
export async function readBundle(
  lines: AsyncIterable<string>,
): Promise<{ readonly run: BundledRun; readonly events: number }> {
  const parts = await readParts(lines)
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
  let link = ''
  for await (const text of lines) {
    const number = parts.length + 1
    if (parts.at(-1)?.part === 'end') broken(number, 'there is more after its end')
    const line = parseLine(text) ?? broken(number, 'the line is torn')
    const { part, body } = line
    if (linkOf(link, part, body) !== line.link) broken(number, 'the line was altered, moved or is not of this bundle')
    link = line.link
    parts.push({ number, part, body })
  }
  const last = parts.at(-1)
  if (last?.part !== 'end') broken(parts.length + 1, 'it ends before its end: the file is torn')
  return parts
}

function parseLine(text: string): { part: string; link: string; body: Line['body'] } | undefined {
  try {
    const { part, link, body } = JSON.parse(text) as Record<string, unknown>
    const whole = typeof part === 'string' && typeof link === 'string' && typeof body === 'object' && body !== null
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

function checkIdentity(line: Line | undefined, run: BundledRun): void {
  if (line === undefined) return
  const record = JSON.parse((line.body as unknown as BundledEvent).record) as Readonly<Record<string, unknown>>
  for (const name of ['runId', 'tenantId', 'projectId', 'environmentId', 'planId', 'planVersion'] as const)
    if (record[name] !== run[name]) broken(1, `its ${name} is not that of its events`)
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
