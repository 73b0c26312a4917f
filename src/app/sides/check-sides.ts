/**
 * Compares everything that is stored for a run beside its events with the events: the row, large values, captured variables,
 * checkpoints, inbox rows, claims, held units. The log decides; if the log is broken, nothing is compared.
 */
import type { LogRecord } from '../../core/events/event.ts'
import { isImportedLog } from '../../core/events/imported.ts'
import { KeelsonError } from '../../core/problems/problem.ts'
import { runMetaOf } from '../../core/view/fold/run-meta.ts'
import type { RunSides } from '../../ports/evidence.ts'
import type { ReceiptKey } from '../../ports/receipts.ts'
import type { RunRow, RunStore, StoredEvent } from '../../ports/run-store.ts'
import { checkFamily } from './check-family.ts'
import { checkContext } from './check-context.ts'
import { checkInboxRows } from './check-inbox-rows.ts'
import { checkLabels } from './check-labels.ts'
import { checkClaims, checkHolds } from './check-claims.ts'
import { checkEventWaits } from './check-event-waits.ts'
import { checkCheckpoints } from './check-checkpoints.ts'
import { checkValues, namedValues } from './check-values.ts'
import { compareRow, type RowDifference } from './compare-row.ts'
import { checkErasures, erasureReach } from './erasure-statement.ts'
import { altered, type EvidenceFinding } from './finding.ts'
import { foldLog, type FoldedLog } from '../log/fold.ts'
import type { LoadedPlan } from '../plans/load.ts'
import { recordOf } from '../log/read-events.ts'
import { sha256Hex } from '../log/sha256.ts'
import { misfiledEvents } from './misfiled-events.ts'

export interface SideReport {
  readonly row: readonly RowDifference[]
  readonly values: number
  readonly strayValues: readonly string[]
  readonly findings: readonly EvidenceFinding[]
}

export interface SideCheck {
  readonly store: RunStore
  readonly row: RunRow
  readonly events: readonly StoredEvent[]
  readonly keys: readonly ReceiptKey[]
  readonly plan: () => Promise<LoadedPlan>
  /** The chain is intact. */
  readonly whole: boolean
}

export async function checkSides(check: SideCheck): Promise<SideReport> {
  const { store, row, events } = check
  const records = check.whole ? recordsOf(events) : undefined
  if (records === undefined || records.length === 0) return { row: [], values: 0, strayValues: [], findings: [] }
  if (isImportedLog(records)) return checkImported(check, records)
  const plan = await planOrNone(check.plan)
  const sides = await store.readSides(row.runKey)
  const asked = new Set(sides.snapshots.filter(({ kind }) => kind === 'state').map(({ seq }) => seq))
  const folded = plan === undefined ? undefined : foldLog(records, plan.graph, asked)
  const blob = (sha256: string) => store.getBlob(row.runKey, sha256)
  const erasures = checkErasures(records, check.keys)
  // What an unsigned erasure removed is reported once, with the erasure.
  const goneUpTo = erasureReach(records)
  const values = await checkValues(records, blob, goneUpTo)
  const log = { events, records, initialContext: plan?.plan.context ?? {}, blob }
  const context = await checkContext(log, sides.context, goneUpTo)
  const stray = await strayValues(sides.blobs, new Set([...namedValues(records).keys(), ...context.blobs]), blob)
  const findings = [
    ...erasures.findings,
    ...leftOver(events, sides, goneUpTo),
    ...misfiledEvents(events, records),
    ...values.findings,
    ...stray.findings,
    ...context.findings,
    ...(plan === undefined ? [] : await checkLabels(sides.labels, plan.plan, records, blob)),
    ...(folded === undefined || plan === undefined ? [] : checkFolded(row, sides, records, folded, plan, goneUpTo)),
    ...(folded === undefined || plan === undefined
      ? []
      : await checkFamily({ store, row, records, state: folded.end, graph: plan.graph })),
    ...checkInboxRows(sides.inbox, records, {
      nextSeq: row.nextSeq,
      goneUpTo,
      ...(plan === undefined ? {} : { graph: plan.graph }),
    }),
  ]
  const storedAt = [events[0]?.persistedAt ?? 0, events.at(-1)?.persistedAt ?? 0] as const
  const differences = compareRow(row, { records, storedAt, ...(folded === undefined ? {} : { state: folded.end }) })
  return { row: differences, values: values.checked, strayValues: stray.hashes, findings }
}

/** Nobody drives it: it has its row and its data, and the values beside it stayed where it came from. */
async function checkImported(
  { store, row, events, keys }: SideCheck,
  records: readonly LogRecord[],
): Promise<SideReport> {
  const findings = [
    ...checkErasures(records, keys).findings,
    ...leftOver(events, await store.readSides(row.runKey), erasureReach(records)),
    ...misfiledEvents(events, records),
  ]
  return { row: compareRow(row, { records }), values: 0, strayValues: [], findings }
}

function checkFolded(
  row: RunRow,
  sides: RunSides,
  records: readonly LogRecord[],
  folded: FoldedLog,
  plan: LoadedPlan,
  goneUpTo: number,
): readonly EvidenceFinding[] {
  const meta = runMetaOf(records[0]?.runId ?? row.runId, plan.graph, row.engineType)
  return [
    ...checkCheckpoints(sides.snapshots, records, folded, meta, goneUpTo),
    ...checkClaims(sides.claims, records, plan.graph),
    ...checkHolds(sides.holds, folded.end, records),
    ...checkEventWaits(sides.eventWaits, folded.end, records),
  ]
}

/** Undefined when one cannot be read; that is reported with the decisions. */
function recordsOf(events: readonly StoredEvent[]): readonly LogRecord[] | undefined {
  const records: LogRecord[] = []
  for (const stored of events) {
    const record = recordOf(stored)
    if (!record.ok) return undefined
    records.push(record.value)
  }
  return records
}

/** A plan that is gone or altered is reported with the decisions. */
async function planOrNone(plan: () => Promise<LoadedPlan>): Promise<LoadedPlan | undefined> {
  try {
    return await plan()
  } catch (thrown) {
    if (thrown instanceof KeelsonError) return undefined
    throw thrown
  }
}

/** An erasure is recorded first and done after that: if the process dies in between, data is left that the log calls erased. */
function leftOver(events: readonly StoredEvent[], sides: RunSides, goneUpTo: number): readonly EvidenceFinding[] {
  if (goneUpTo === 0) return []
  const data = events.filter(({ runSeq, data: text }) => runSeq <= goneUpTo && text !== undefined).length
  const bodies = sides.inbox.filter(({ consumedSeq = Infinity, body }) => consumedSeq <= goneUpTo && body !== '').length
  const rows = sides.context.filter(({ seq }) => seq <= goneUpTo).length
  const left = [
    data > 0 ? `data of ${data} events` : '',
    sides.blobs.length > 0 ? `${sides.blobs.length} large values` : '',
  ]
  const more = [bodies > 0 ? `${bodies} inbox rows` : '', rows > 0 ? `${rows} rows of the context` : '']
  const what = [...left, ...more].filter((one) => one !== '').join(', ')
  return what === '' ? [] : [altered(`${what} that the log says were erased are still there; erase the run again`)]
}

/** A value that matches its hash does no harm; any other was put there by somebody. */
async function strayValues(
  filed: readonly string[],
  named: ReadonlySet<string>,
  blob: (sha256: string) => Promise<string | undefined>,
): Promise<{ readonly hashes: readonly string[]; readonly findings: readonly EvidenceFinding[] }> {
  const hashes: string[] = []
  const findings: EvidenceFinding[] = []
  for (const sha256 of filed.filter((one) => !named.has(one))) {
    if (sha256Hex((await blob(sha256)) ?? '') === sha256) hashes.push(sha256)
    else
      findings.push({
        code: 'VALUE_ALTERED',
        message: `a value that no event names lies under ${sha256} and is not that`,
      })
  }
  return { hashes, findings }
}
