/**
 * What a fork takes over of a fan-out that can be undone: its items one by one, each with the run that owns its effect,
 * so that the fork can undo them like its own work. For other fan-outs the list is enough.
 */
import type { ArtifactRef, EventData, LogRecord, Payload } from '../../core/events/event.ts'
import { TRAIT, type PlanGraph } from '../../core/plan/compile/graph.ts'
import { fail } from '../../core/problems/problem.ts'
import { vectorGet } from '../../core/collections/vector.ts'
import type { ReusedResult } from '../../core/run/input.ts'
import type { Fan, Unit } from '../../core/run/state/unit.ts'
import { hasTrait, slotOfUnit, stepUnit } from '../../core/run/state/units.ts'
import type { RunStore } from '../../ports/run-store.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import type { Blob } from '../values/offload.ts'
import { recordOf } from '../log/read-events.ts'
import { blobText } from '../values/read-results.ts'
import { logOf } from '../loaded/run-outputs.ts'
import { storedEvents } from '../log/stored-events.ts'
import type { TakenOver } from './taken-over.ts'

/** The fan-out of a step whose items are taken over; undefined where the step is taken over as a whole. */
export function fanToTake(graph: PlanGraph, old: LoadedRun, stepId: string): Fan | undefined {
  const step = graph.indexOf.get(stepId) ?? -1
  if (!hasTrait(graph, step, TRAIT.fan) || !hasTrait(graph, step, TRAIT.undone | TRAIT.childUndone)) return undefined
  return stepUnit(old.state, old.state.graph.indexOf.get(stepId) ?? -1).fan
}

/** The step with its list, then its items in order of their end. The end of the step itself follows. */
export async function takenItems(
  store: RunStore,
  old: LoadedRun,
  whole: ReusedResult,
  fan: Fan,
): Promise<readonly TakenOver[]> {
  const ended = endedItems(old, fan)
  const seqs = [...ended.keys()].sort((a, b) => a - b)
  const last = seqs.at(-1) ?? 0
  const taken: TakenOver[] = [await opened(store, old, whole, fan)]
  if (seqs.length === 0) return taken
  for await (const stored of storedEvents(store, old.row.runKey, (seqs[0] ?? 1) - 1)) {
    const unit = ended.get(stored.runSeq)
    if (unit !== undefined) taken.push(await item(store, old, unit, recordAt(old, stored)))
    if (stored.runSeq >= last) break
  }
  return taken
}

function recordAt(old: LoadedRun, stored: Parameters<typeof recordOf>[0]): LogRecord {
  const record = recordOf(stored)
  return record.ok
    ? record.value
    : fail('RUN_QUARANTINED', `event ${stored.runSeq} of run ${old.row.runId} cannot be read`)
}

/** Items by the seq of their success: their own event, or that of the fallback that saved them. */
function endedItems(old: LoadedRun, fan: Fan): ReadonlyMap<number, Unit> {
  const ended = new Map<number, Unit>()
  for (let index = 0; index < fan.count; index += 1) {
    const unit = vectorGet(old.state.units, fan.base + index)
    const done = unit?.recovered === true ? vectorGet(old.state.units, fan.fallbackBase + index) : unit
    if (unit === undefined || done?.status !== 'SUCCESS')
      return fail(
        'RUN_QUARANTINED',
        `item ${index} of a fan-out of run ${old.row.runId} did not succeed, but its step did`,
      )
    ended.set(done.outputSeq, { ...done, fallback: false })
  }
  return ended
}

async function opened(store: RunStore, old: LoadedRun, whole: ReusedResult, fan: Fan): Promise<TakenOver> {
  const { slot, runId, runSeq, ownerRunId } = whole
  const { count, itemsSha256: sha256 } = fan
  const result = { slot, runId, runSeq, ownerRunId, artifactRefs: [], items: { count, sha256, ref: `blob:${sha256}` } }
  return { result, blobs: count === 0 ? [] : [await blob(store, old, sha256)], writes: [] }
}

async function blob(store: RunStore, old: LoadedRun, sha256: string): Promise<Blob> {
  return { sha256, text: await blobText(logOf(store, old), sha256) }
}

/** As in the old log. Its captures are recorded with its step. */
async function item(store: RunStore, old: LoadedRun, unit: Unit, record: LogRecord): Promise<TakenOver> {
  const { runId } = old.identity
  const { artifactRefs, resultRef } = (record.payload ?? {}) as Partial<Payload<'StepCompleted'>>
  const value = record.data?.['result']
  const data: EventData | undefined = value === undefined ? undefined : { result: value }
  const attempt = unit.ownerRunId === '' ? unit.attempt : unit.ownerAttempt
  const result: ReusedResult = {
    slot: slotOfUnit(old.plan.graph, unit),
    runId,
    runSeq: record.runSeq,
    ownerRunId: unit.ownerRunId === '' ? runId : unit.ownerRunId,
    ...(attempt === 0 ? {} : { attempt }),
    artifactRefs: (artifactRefs ?? []) as readonly ArtifactRef[],
    ...(data === undefined ? {} : { data }),
    ...(resultRef === undefined ? {} : { resultRef }),
  }
  return { result, blobs: resultRef === undefined ? [] : [await blob(store, old, resultRef.sha256)], writes: [] }
}
