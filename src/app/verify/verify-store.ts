/**
 * Verifies a whole store, page by page: every run with everything that is stored for it, bundles of archived runs, plans by their
 * hashes, audit logs, rows that belong to no run, the rules that protect the log, and runs that are in receipts and not in the store.
 */
import { KeelsonError } from '../../core/problems/problem.ts'
import { isFatal, KILLS_PROCESS } from '../../core/engine/last-words.ts'
import type { Plan } from '../../core/plan/plan.ts'
import type { StoreFault } from '../../ports/evidence.ts'
import type { ReceiptBook, ReceiptKey } from '../../ports/receipts.ts'
import type { RunRow, RunStore } from '../../ports/run-store.ts'
import type { BundleReport } from './check-bundle.ts'
import { checkAudit } from './check-audit.ts'
import { checkPublished } from './check-published.ts'
import { differingRow } from './compare-bundled-row.ts'
import type { EvidenceFinding } from '../sides/finding.ts'
import { hexOf, sha256Hex } from '../log/sha256.ts'
import { missingReceipts, missingRuns, receiptsByRun, type ReceiptIndex } from './receipts-of-store.ts'
import { isWhole, verifyRun, type RunProof } from './verify-run.ts'

export interface StoreCheck {
  readonly store: RunStore
  readonly book: ReceiptBook
  /** Only receipts of this key count. */
  readonly demanded?: ReceiptKey
  /** The bundle of an archived run, proved; rejects with a KeelsonError when it cannot be. */
  readonly bundle: (place: string) => Promise<BundleReport>
  /** After each run. */
  readonly onRun?: (told: CheckedRun) => void
}

export interface CheckedRun {
  readonly row: RunRow
  /** Absent for an archived run, whose bundle was checked. */
  readonly proof?: RunProof
  readonly findings: readonly EvidenceFinding[]
  readonly whole: boolean
}

export interface StoreProof {
  readonly runs: number
  readonly archived: number
  readonly plans: number
  /** Ids of runs that are not whole. */
  readonly broken: readonly string[]
  /** Findings that belong to no single run. */
  readonly findings: readonly EvidenceFinding[]
  readonly whole: boolean
}

const PAGE = 200

/** If a table is missing, nothing can be proved; the fault of the schema is reported instead. */
export async function verifyStore(given: StoreCheck): Promise<StoreProof> {
  try {
    return await proveStore(given)
  } catch (thrown) {
    if (!isAltered(thrown)) throw thrown
    const { message } = thrown
    const faults = await given.store.faults().catch((again: unknown): readonly StoreFault[] => {
      if (isAltered(again)) return []
      throw again
    })
    const findings = [{ code: 'STORE_ALTERED' as const, message }, ...faults.map(findingOf)]
    return { runs: 0, archived: 0, plans: 0, broken: [], findings, whole: false }
  }
}

function isAltered(thrown: unknown): thrown is KeelsonError {
  return thrown instanceof KeelsonError && thrown.code === 'STORE_ALTERED'
}

function findingOf({ kind, where, what }: StoreFault): EvidenceFinding {
  return { code: kind === 'schema' ? 'STORE_ALTERED' : 'ROW_ALTERED', message: `${where}: ${what}` }
}

async function proveStore(given: StoreCheck): Promise<StoreProof> {
  const { store } = given
  let check: IndexedCheck = { ...given, receipts: await receiptsByRun(given.book) }
  const broken: string[] = []
  let runs = 0
  let archived = 0
  let begun = 0
  for (let after = -1; ;) {
    const page = await store.pageRuns(after, PAGE)
    const checked: CheckedRun[] = []
    for (const row of page) checked.push(await checkRun(check, row))
    // Receipts may have been issued since they were read.
    if (checked.some(isUnreceipted)) check = { ...given, receipts: await receiptsByRun(given.book) }
    for (const first of checked) {
      const told = isUnreceipted(first) ? await checkRun(check, first.row) : first
      const { row } = told
      runs += 1
      if (row.archivedAt !== undefined) archived += 1
      else if (row.startedAt !== undefined) begun += 1
      if (!told.whole) broken.push(row.runId)
      check.onRun?.(told)
    }
    const last = page.at(-1)
    if (last === undefined || page.length < PAGE) break
    after = last.runKey
  }
  const plans = await checkPlans(store)
  const faults = (await store.faults()).map(findingOf)
  const findings = [
    ...faults,
    ...plans.findings,
    ...(await checkPublished(check)),
    ...(await checkAudit(store)),
    ...(await missingRuns(check)),
    ...(await missingReceipts(store, check.receipts, begun)),
  ]
  const whole = broken.length === 0 && findings.length === 0
  return { runs, archived, plans: plans.checked, broken, findings, whole }
}

interface IndexedCheck extends StoreCheck {
  readonly receipts: ReceiptIndex
}

function isUnreceipted({ proof }: CheckedRun): boolean {
  return proof?.receipts.findings.some(({ code }) => code === 'RECEIPT_MISSING') === true
}

async function checkRun(check: IndexedCheck, row: RunRow): Promise<CheckedRun> {
  if (row.archivedAt !== undefined) {
    const findings = await checkArchived(check, row)
    return { row, findings, whole: findings.length === 0 }
  }
  const lines = check.receipts.get(row.runId) ?? []
  const proof = await verifyRun(
    check.store,
    row,
    { keys: check.book.keys, lines, complete: check.receipts.size > 0 },
    check.demanded,
  )
  const aside: readonly EvidenceFinding[] =
    row.quarantine === undefined || isKilling(row)
      ? []
      : [{ code: 'RUN_UNPROVED', message: `run ${row.runId} was set aside (${row.quarantine})` }]
  const whole = isWhole(proof) && proof.decisions?.follows === true && aside.length === 0
  return { row, proof, findings: [...aside, ...(proof.findings ?? [])], whole }
}

/** The run was set aside because its processes died, as its row tells. That says nothing about its log, which was verified. */
function isKilling(row: RunRow): boolean {
  return row.quarantine === KILLS_PROCESS && isFatal(row)
}

/** Only the row is left here: it must agree with the bundle. */
async function checkArchived(check: StoreCheck, row: RunRow): Promise<readonly EvidenceFinding[]> {
  const unproved = (why: string): readonly EvidenceFinding[] => [
    { code: 'RUN_UNPROVED', message: `run ${row.runId} was archived, and ${why}` },
  ]
  if (row.archivedTo === undefined) return unproved('the place of its bundle was not recorded')
  try {
    const report = await check.bundle(row.archivedTo)
    const differences = differingRow(row, report.run)
    if (!report.decisions.follows) return unproved(`the decisions in its bundle ${row.archivedTo} do not follow`)
    return [
      ...(report.findings ?? []),
      ...(hexOf(row.headHash) === report.run.headHash ? [] : unproved('its bundle ends at another head')),
      ...differences.map(({ name, row: here, log }): EvidenceFinding => ({
        code: 'ROW_ALTERED',
        message: `the row of run ${row.runId} says ${name} ${here}, its bundle ${log}`,
      })),
    ]
  } catch (thrown) {
    if (!(thrown instanceof KeelsonError)) throw thrown
    return unproved(`its bundle ${row.archivedTo} cannot be proved (${thrown.code}: ${thrown.message})`)
  }
}

async function checkPlans(
  store: RunStore,
): Promise<{ readonly checked: number; readonly findings: readonly EvidenceFinding[] }> {
  const findings: EvidenceFinding[] = []
  let checked = 0
  for (let from: number | undefined = 0; from !== undefined;) {
    const page = await store.pagePlans(from, PAGE)
    for (const { sha256, planId, planVersion, text } of page.plans) {
      checked += 1
      const actual = sha256Hex(text)
      const wrong = actual === sha256 ? misnamed(text, planId, planVersion) : `has the hash ${actual}`
      if (wrong !== undefined)
        findings.push({
          code: 'PLAN_ALTERED',
          message: `the plan ${sha256}, filed as ${planId} ${planVersion}, ${wrong}`,
        })
    }
    from = page.next
  }
  return { checked, findings }
}

/** Its bytes match their hash, so they are JSON that was published. */
function misnamed(text: string, planId: string, planVersion: string): string | undefined {
  const { metadata } = JSON.parse(text) as Plan
  if (metadata.planId === planId && metadata.planVersion === planVersion) return undefined
  return `is ${metadata.planId} ${metadata.planVersion}`
}
