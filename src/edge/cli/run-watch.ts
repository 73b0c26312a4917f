/**
 * Follows one run through its log, whoever drives it: reads what is new and folds it into the view people see. It also
 * keeps the few instants the view leaves out, so that waits and retries can be counted down.
 */
import type { ForeignRecord } from '../../core/events/event.ts'
import { innerStepSlot, stepSlotText } from '../../core/events/slot.ts'
import { compileGraph, type PlanGraph } from '../../core/plan/graph.ts'
import type { Plan } from '../../core/plan/plan.ts'
import { KeelsonError, problem } from '../../core/problems/problem.ts'
import { isTerminalRun } from '../../core/run/transitions.ts'
import { msFromIso } from '../../core/time.ts'
import { incrementalProject } from '../../core/view/project-run.ts'
import { runMetaOf } from '../../core/view/run-meta.ts'
import { emptyView, type RunView } from '../../core/view/run-view.ts'
import type { Keelson, RunHandle } from '../../main.ts'

export interface Retry {
  readonly stepId: string
  readonly itemIndex?: number
  readonly failedAttempt: number
  readonly retryAt: number
  readonly code: string
}

export interface RunWatch {
  readonly handle: RunHandle
  readonly graph: PlanGraph
  readonly view: RunView
  /** By slot: attempts that failed and will be made again. */
  readonly retries: ReadonlyMap<string, Retry>
  /** By step: failed attempts of its items that were made again, counted by code. */
  readonly itemFailures: ReadonlyMap<string, ReadonlyMap<string, number>>
  /** By slot: when a wait is over. */
  readonly waits: ReadonlyMap<string, number>
  /** By step: the pools it waits for a share of. */
  readonly grantWaits: ReadonlyMap<string, readonly string[]>
  readonly ended: boolean
  /** The run was set aside, or archived: nobody will end it. The picture is that of its sound part. */
  readonly trouble: KeelsonError | undefined
  /** Records that were new since the last call. */
  pump(): Promise<readonly ForeignRecord[]>
}

/** With `atSeq`, the run as it was after that event. */
export async function watchRun(keelson: Keelson, handle: RunHandle, atSeq = Infinity): Promise<RunWatch> {
  const text = await keelson.services.store.getPlan(handle.row.planSha256)
  if (text === undefined) throw (await handle.trouble())?.error ?? planGone(handle)
  const graph = compileGraph(JSON.parse(text) as Plan)
  const retries = new Map<string, Retry>()
  const itemFailures = new Map<string, Map<string, number>>()
  const waits = new Map<string, number>()
  const grantWaits = new Map<string, readonly string[]>()
  let trouble: KeelsonError | undefined
  let view = emptyView(runMetaOf(handle.runId, graph, handle.row.engineType))
  return {
    handle,
    graph,
    retries,
    itemFailures,
    waits,
    grantWaits,
    get view() {
      return view
    },
    get ended() {
      return isTerminalRun(view.run.status)
    },
    get trouble() {
      return trouble
    },
    async pump() {
      const [records, found] = await readable(handle, view.lastEventSeq, atSeq)
      trouble = found
      if (graph.anyWants && atSeq === Infinity) await noteGrantWaits(keelson, handle, grantWaits)
      view = incrementalProject(view, records).view
      for (const record of records) {
        noteInstants(record, retries, waits)
        noteItemFailure(record, itemFailures)
      }
      return records
    },
  }
}

function planGone({ runId }: RunHandle): KeelsonError {
  return new KeelsonError([problem('PLAN_NOT_FOUND', `the plan of run ${runId} is not stored here`)])
}

/** What is new, and why there is no more of it to come. */
async function readable(
  handle: RunHandle,
  afterSeq: number,
  upToSeq: number,
): Promise<readonly [readonly ForeignRecord[], KeelsonError | undefined]> {
  try {
    return [await handle.records(afterSeq, upToSeq), undefined]
  } catch (thrown) {
    if (!(thrown instanceof KeelsonError)) throw thrown
    const soundSeq = thrown.problems[0]?.details?.['soundSeq']
    if (typeof soundSeq !== 'number') throw thrown
    return [await handle.records(afterSeq, Math.min(soundSeq, upToSeq)), thrown]
  }
}

async function noteGrantWaits(
  keelson: Keelson,
  { row }: RunHandle,
  grantWaits: Map<string, readonly string[]>,
): Promise<void> {
  const { waits } = await keelson.services.store.readGrants(row.runKey)
  grantWaits.clear()
  for (const { slot, wants } of waits) {
    const stepId = innerStepSlot(slot)?.stepId
    if (stepId !== undefined) grantWaits.set(stepId, Object.keys(wants))
  }
}

function noteInstants(record: ForeignRecord, retries: Map<string, Retry>, waits: Map<string, number>): void {
  const { stepId, payload = {} } = record
  if (stepId === undefined || !record.eventType.startsWith('Step')) return
  const slot = stepSlotText({ ...record, stepId })
  retries.delete(slot)
  waits.delete(slot)
  if (record.eventType === 'StepStarted') {
    const until = instant(payload['waitUntil'])
    const forMs = payload['waitForMs']
    const began = instant(payload['startedAt'])
    if (until !== undefined) waits.set(slot, until)
    else if (typeof forMs === 'number' && began !== undefined) waits.set(slot, began + forMs)
  }
  const retryAt = instant(payload['retryAt'])
  if (record.eventType !== 'StepFailed' || retryAt === undefined) return
  const { code } = payload['error'] as { readonly code: string }
  const { itemIndex, logicalAttemptId: failedAttempt } = record
  retries.set(slot, { stepId, failedAttempt, retryAt, code, ...(itemIndex === undefined ? {} : { itemIndex }) })
}

/** Items are many and have no row of their own; what went wrong with them is told in their step's. */
function noteItemFailure(record: ForeignRecord, counts: Map<string, Map<string, number>>): void {
  const { eventType, stepId, itemIndex, payload = {} } = record
  if (eventType !== 'StepFailed' || stepId === undefined || itemIndex === undefined) return
  if (payload['retryAt'] === undefined) return
  const { code } = payload['error'] as { readonly code: string }
  const ofStep = counts.get(stepId) ?? new Map<string, number>()
  counts.set(stepId, ofStep.set(code, (ofStep.get(code) ?? 0) + 1))
}

function instant(value: unknown): number | undefined {
  return typeof value === 'string' ? msFromIso(value) : undefined
}
