/**
 * A fork held against the run it was made from: what it took over is the answer to its own question. Which steps its plan or its
 * input changed follows from the two plans and the two inputs, and none of these has a result that was taken over.
 */
import type { LogRecord, Payload } from '../../core/events/event.ts'
import { innerStepSlot } from '../../core/events/slot.ts'
import type { Plan } from '../../core/plan/plan.ts'
import type { RunRow, RunStore } from '../../ports/run-store.ts'
import { compensationOf } from '../loaded/compensation-run-id.ts'
import { isErased } from '../log/erased-data.ts'
import { recordOf } from '../log/read-events.ts'
import { recordedSlot } from '../rederive/recorded-decision.ts'
import { changedSteps, type PlannedRun } from '../taken/changed-steps.ts'
import { altered, type EvidenceFinding } from './finding.ts'

interface Fork {
  readonly store: Pick<RunStore, 'findRun' | 'getPlan' | 'getBlob' | 'readEvents'>
  readonly row: RunRow
  readonly records: readonly LogRecord[]
}

export async function checkForked({ store, row, records }: Fork): Promise<readonly EvidenceFinding[]> {
  const { tenantId, originalRunId } = row
  const taken = records.filter(({ payload }) => payload?.['reusedFrom'] !== undefined)
  if (originalRunId === undefined || compensationOf(row) !== undefined || taken.length === 0) return []
  const old = await store.findRun({ tenantId, runId: originalRunId })
  const first = old === undefined ? [] : await firstRecords(store, old)
  const before = old === undefined ? undefined : await plannedRun(store, old, first)
  const after = await plannedRun(store, row, records)
  // Archived, erased or damaged, which is told elsewhere: there is nothing to hold it against.
  if (old === undefined || before === undefined || after === undefined) return []
  const isSamePlan = old.planSha256 === row.planSha256
  const planOf = (sha256: string): Promise<Plan | undefined> => planIn(store, tenantId, sha256)
  // With the plan of the old run a fork keeps results of child plans that were published anew since.
  const changed = await changedSteps(before, isSamePlan ? { ...after, children: before.children } : after, planOf)
  return taken.flatMap((record) => {
    const stepId = innerStepSlot(recordedSlot(record))?.stepId ?? ''
    const change = changed.get(stepId)
    if (change === undefined) return []
    const what = change.kind === 'changed' ? 'is defined otherwise' : 'reads other values'
    const told = `'${stepId}' was taken over from run ${originalRunId}, and ${what} there: ${change.fields.join(', ')}`
    return [altered(told, record.runSeq)]
  })
}

const FIRST_EVENTS = 4

async function firstRecords(store: Fork['store'], { runKey }: RunRow): Promise<readonly LogRecord[]> {
  const stored = await store.readEvents(runKey, { limit: FIRST_EVENTS })
  return stored.flatMap((one) => {
    const record = recordOf(one)
    return record.ok ? [record.value] : []
  })
}

/** Undefined where it cannot be read any more. */
async function plannedRun(
  store: Fork['store'],
  { tenantId, planSha256, runKey }: RunRow,
  records: readonly LogRecord[],
): Promise<PlannedRun | undefined> {
  const [first] = records
  const plan = await planIn(store, tenantId, planSha256)
  if (first === undefined || plan === undefined || isErased(first)) return undefined
  const ref = first.payload?.['inputRef'] as { readonly sha256: string } | undefined
  const text = ref === undefined ? undefined : await store.getBlob(runKey, ref.sha256)
  if (ref !== undefined && text === undefined) return undefined
  const started = records.find(({ eventType }) => eventType === 'RunStarted')?.payload as
    Partial<Payload<'RunStarted'>> | undefined
  const input: unknown = text === undefined ? (first.data?.['input'] ?? {}) : jsonOr(text)
  return { plan, input, children: started?.children ?? null }
}

async function planIn(store: Fork['store'], tenantId: string, sha256: string): Promise<Plan | undefined> {
  const text = await store.getPlan(tenantId, sha256)
  return text === undefined ? undefined : (jsonOr(text) as Plan | undefined)
}

/** Altered bytes are told where they lie. */
function jsonOr(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
