/** What a fork takes over of one step: its result, inline or as a blob of the new run, and its captures (P-43). */
import type { ArtifactRef, Payload } from '../../core/events/event.ts'
import { LIMITS } from '../../core/limits.ts'
import type { ReusedResult } from '../../core/run/input.ts'
import type { StandingStep } from '../../core/run/fork/standing.ts'
import { locate } from '../../core/run/state/units.ts'
import { canonicalText } from '../log/canonical.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import { offloaded, type Blob } from '../values/offload.ts'
import { readRecord, type ValueStore } from '../values/read-results.ts'
import type { ContextChange } from '../values/run-context.ts'
import { logOf, stepOutput } from '../loaded/run-outputs.ts'
import type { TakenCaptures } from './taken-captures.ts'

export interface TakenOver {
  readonly result: ReusedResult
  readonly blobs: readonly Blob[]
  readonly writes: readonly ContextChange[]
}

/** The attempt that did the work in its owner's run: it names the child run that did it (P-29). */
function attemptOf({ state }: LoadedRun, stepId: string): { readonly attempt?: number } {
  const unit = locate(state, stepId)?.unit
  if (unit === undefined) return {}
  if (unit.ownerRunId === '') return { attempt: unit.attempt }
  return unit.ownerAttempt === 0 ? {} : { attempt: unit.ownerAttempt }
}

export async function takenOver(
  store: ValueStore,
  old: LoadedRun,
  { stepId, seq, ownerRunId, skipped }: StandingStep,
  captured: TakenCaptures,
): Promise<TakenOver> {
  const { payload } = await readRecord(logOf(store, old), seq, skipped ? 'StepSkipped' : 'StepCompleted')
  const owner = ownerRunId === '' ? old.identity.runId : ownerRunId
  const base = { slot: stepId, runId: old.identity.runId, runSeq: seq, ownerRunId: owner, ...attemptOf(old, stepId) }
  if (skipped) {
    const { reason, reasonCode } = payload as Payload<'StepSkipped'>
    return { result: { ...base, artifactRefs: [], skipped: { reason, reasonCode } }, blobs: [], writes: [] }
  }
  const output = await stepOutput(store, old, old.state, stepId)
  const large = Buffer.byteLength(canonicalText(output)) > LIMITS.inlinePayloadBytes ? offloaded(output) : undefined
  const actorId = payload?.['actorId']
  const hasCaptures = captured.captures.length > 0
  const data = {
    ...(output === null || large !== undefined ? {} : { result: output }),
    ...(hasCaptures ? { captureValues: captured.values } : {}),
  }
  const result: ReusedResult = {
    ...base,
    ...(typeof actorId === 'string' ? { actorId } : {}),
    artifactRefs: (payload?.['artifactRefs'] ?? []) as readonly ArtifactRef[],
    ...(Object.keys(data).length === 0 ? {} : { data }),
    ...(large === undefined ? {} : { resultRef: large.ref }),
    ...(hasCaptures ? { captures: captured.captures } : {}),
  }
  const blobs = [...(large === undefined ? [] : [large.blob]), ...captured.blobs]
  return { result, blobs, writes: captured.writes }
}
