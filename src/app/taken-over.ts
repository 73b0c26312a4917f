/**
 * What a fork takes over of one step: its result, inline or as a blob of the new run, and what it captured (DESIGN §5,
 * fork; P-43).
 */
import type { ArtifactRef } from '../core/events/event.ts'
import { LIMITS } from '../core/limits.ts'
import type { ReusedResult } from '../core/run/input.ts'
import { locate } from '../core/run/units.ts'
import type { RunStore } from '../ports/run-store.ts'
import { canonicalText } from './canonical.ts'
import type { LoadedRun } from './load-run.ts'
import { offloaded, type Blob } from './offload-value.ts'
import { recordOf } from './read-events.ts'
import type { ContextChange } from './run-context.ts'
import { stepOutput } from './run-outputs.ts'
import type { TakenCaptures } from './taken-captures.ts'

export interface TakenOver {
  readonly result: ReusedResult
  readonly blobs: readonly Blob[]
  readonly writes: readonly ContextChange[]
}

export interface OldStep {
  readonly stepId: string
  /** Seq of its StepCompleted. */
  readonly seq: number
  readonly ownerRunId: string
}

/** The attempt that did the work in its owner's run: it names the child run that did it (P-29). */
function attemptOf({ state }: LoadedRun, stepId: string): { readonly attempt?: number } {
  const unit = locate(state, stepId)?.unit
  if (unit === undefined) return {}
  if (unit.ownerRunId === '') return { attempt: unit.attempt }
  return unit.ownerAttempt === 0 ? {} : { attempt: unit.ownerAttempt }
}

export async function takenOver(
  store: RunStore,
  old: LoadedRun,
  { stepId, seq, ownerRunId }: OldStep,
  captured: TakenCaptures,
): Promise<TakenOver> {
  const [stored] = await store.readEvents(old.row.runKey, { afterSeq: seq - 1, limit: 1 })
  const record = stored === undefined ? undefined : recordOf(stored)
  const payload = record?.ok === true ? (record.value.payload ?? {}) : {}
  const output = await stepOutput(store, old, old.state, stepId)
  const large = Buffer.byteLength(canonicalText(output)) > LIMITS.inlinePayloadBytes ? offloaded(output) : undefined
  const hasCaptures = captured.captures.length > 0
  const data = {
    ...(output === null || large !== undefined ? {} : { result: output }),
    ...(hasCaptures ? { captureValues: captured.values } : {}),
  }
  const result: ReusedResult = {
    slot: stepId,
    runId: old.identity.runId,
    runSeq: seq,
    ownerRunId: ownerRunId === '' ? old.identity.runId : ownerRunId,
    ...attemptOf(old, stepId),
    artifactRefs: (payload['artifactRefs'] ?? []) as readonly ArtifactRef[],
    ...(Object.keys(data).length === 0 ? {} : { data }),
    ...(large === undefined ? {} : { resultRef: large.ref }),
    ...(hasCaptures ? { captures: captured.captures } : {}),
  }
  const blobs = [...(large === undefined ? [] : [large.blob]), ...captured.blobs]
  return { result, blobs, writes: captured.writes }
}
