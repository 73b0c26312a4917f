/**
 * What a fork takes over of one step: its result, inline or as a blob of the new run, and what it wrote into the context,
 * so that steps which run again see the variables they would have seen (DESIGN §5, fork; P-16).
 */
import type { ArtifactRef, EventData, ForeignRecord } from '../core/events/event.ts'
import { LIMITS } from '../core/limits.ts'
import type { Json, Plan } from '../core/plan/plan.ts'
import { fail } from '../core/problems/problem.ts'
import type { ReusedResult } from '../core/run/input.ts'
import type { RunStore } from '../ports/run-store.ts'
import { canonicalText } from './canonical.ts'
import { recordedForm, replayCaptures, type RecordedCapture } from './capture-output.ts'
import type { LoadedRun } from './load-run.ts'
import { offloaded, type Blob } from './offload-value.ts'
import { recordOf } from './read-events.ts'
import type { ContextChange, ContextVariables } from './run-context.ts'
import { readBlob, stepOutput } from './run-outputs.ts'
import { storedEvents } from './stored-events.ts'

export interface TakenOver {
  readonly result: ReusedResult
  readonly blobs: readonly Blob[]
}

interface CapturedValues {
  readonly captures: readonly RecordedCapture[]
  readonly values: readonly unknown[]
}

export interface OldStep {
  readonly stepId: string
  /** Seq of its StepCompleted. */
  readonly seq: number
  readonly ownerRunId: string
}

export async function takenOver(
  store: RunStore,
  old: LoadedRun,
  { stepId, seq, ownerRunId }: OldStep,
  captured: CapturedValues | undefined,
): Promise<TakenOver> {
  const [stored] = await store.readEvents(old.row.runKey, { afterSeq: seq - 1, limit: 1 })
  const record = stored === undefined ? undefined : recordOf(stored)
  const payload = record?.ok === true ? (record.value.payload ?? {}) : {}
  const output = await stepOutput(store, old, old.state, stepId)
  const large = Buffer.byteLength(canonicalText(output)) > LIMITS.inlinePayloadBytes ? offloaded(output) : undefined
  const context = captured === undefined ? undefined : recordedForm(captured.captures, captured.values)
  const data: EventData = {
    ...(output === null || large !== undefined ? {} : { result: output }),
    ...(context === undefined ? {} : { captureValues: context.values }),
  }
  const result: ReusedResult = {
    slot: stepId,
    runId: old.identity.runId,
    runSeq: seq,
    ownerRunId: ownerRunId === '' ? old.identity.runId : ownerRunId,
    artifactRefs: (payload['artifactRefs'] ?? []) as readonly ArtifactRef[],
    ...(Object.keys(data).length === 0 ? {} : { data }),
    ...(large === undefined ? {} : { resultRef: large.ref }),
    ...(context === undefined ? {} : { captures: context.captures }),
  }
  return { result, blobs: [...(large === undefined ? [] : [large.blob]), ...(context?.blobs ?? [])] }
}

/** Captures of the log by step, those of its items and of its fallback among them, values at hand. */
export async function capturesByStep(store: RunStore, old: LoadedRun): Promise<ReadonlyMap<string, CapturedValues>> {
  const found = new Map<string, CapturedValues>()
  if (!old.plan.plan.steps.some((step) => step.capture !== undefined)) return found
  for await (const stored of storedEvents(store, old.row.runKey)) {
    if (stored.eventType !== 'StepCompleted') continue
    const record = recordOf(stored)
    if (!record.ok) fail('RUN_QUARANTINED', `event ${stored.runSeq} of run ${old.row.runId} cannot be read`)
    const one = await capturesOf(store, old, record.value)
    const { stepId } = record.value
    if (one === undefined || stepId === undefined) continue
    const before = found.get(stepId)
    found.set(stepId, {
      captures: [...(before?.captures ?? []), ...one.captures],
      values: [...(before?.values ?? []), ...one.values],
    })
  }
  return found
}

async function capturesOf(store: RunStore, old: LoadedRun, record: ForeignRecord): Promise<CapturedValues | undefined> {
  const recorded = record.payload?.['captures'] as readonly RecordedCapture[] | undefined
  if (recorded === undefined || recorded.length === 0) return undefined
  const inline = (record.data?.['captureValues'] ?? []) as readonly unknown[]
  const values: unknown[] = []
  for (const [index, { ref }] of recorded.entries())
    values.push(ref === undefined ? (inline[index] ?? null) : await readBlob(store, old.row.runKey, ref.sha256))
  return { captures: recorded.map(({ path, mode }) => ({ path, mode })), values }
}

/** Rows of the new run's context by place in the list of taken-over results, folded from the plan's own variables. */
export function contextAfter(
  plan: Plan,
  taken: readonly { readonly captured: CapturedValues | undefined }[],
): readonly (readonly ContextChange[])[] {
  let context: ContextVariables = plan.context
  return taken.map(({ captured }) => {
    if (captured === undefined) return []
    const after = replayCaptures(context, captured.captures, captured.values)
    // Another version of the plan may begin with variables of another shape.
    if (!after.ok)
      return fail('INPUT_INVALID', `what was captured does not fit this plan: ${after.problems[0]?.message}`)
    context = after.value
    const variables = new Set(captured.captures.map(({ path }) => path.split('.', 1)[0] ?? ''))
    return [...variables].map((variable) => ({ variable, value: context[variable] as Json }))
  })
}
