/**
 * From the fold's view to the public shape. Costs one pass over the steps, made only on request; the items of a fan-out
 * are read separately, page by page, with `itemsOf`.
 */
import { vectorGet } from '../../collections/vector.ts'
import type { ArtifactRef } from '../../events/event.ts'
import { numberOf } from '../fold/name-index.ts'
import { slotNames, type StepSlot } from '../../events/slot.ts'
import type {
  AttemptSnapshot,
  CompensationSnapshot,
  FallbackSnapshot,
  RunSnapshot,
  StepSnapshot,
} from '../fold/run-snapshot.ts'
import {
  EMPTY_PAIR,
  EMPTY_STEP,
  type AttemptFold,
  type CompensationFold,
  type RunView,
  type SlotFold,
  type SlotPair,
} from '../fold/run-view.ts'
import { isHandled, isRecovered, isSlotRetrying, latestAttempt } from '../fold/slot-facts.ts'
import { mayRetry, substatusOf } from './substatus.ts'

/** `steps`: those of this very view, where the caller has kept them. */
export function snapshotOf(view: RunView, steps = stepsOf(view)): RunSnapshot {
  const { run, tally } = view
  const total =
    run.begunMs === undefined || run.endedMs === undefined ? undefined : Math.max(0, run.endedMs - run.begunMs)
  return present({
    runId: view.meta.runId,
    status: run.status,
    ...substatusOf(view),
    queued: queuedOf(run),
    lastEventSeq: view.lastEventSeq,
    steps,
    artifacts: runArtifacts(view),
    startedAt: run.startedAt,
    completedAt: run.completedAt,
    totalDurationMs: total,
    engineRunRef: run.engineRunRef,
    failedSteps: tally.failed,
    rootCause: run.rootCause,
    inconsistent: run.inconsistent ? (true as const) : undefined,
  })
}

/** Told while it waits for that: once it is approved or has ended, its status says the rest. */
function queuedOf({ status, queued }: RunView['run']): RunSnapshot['queued'] {
  if (queued === undefined || status !== 'PENDING') return undefined
  const { policy, notBefore } = queued
  return { policy, ...(notBefore === undefined ? {} : { notBefore }) }
}

/** The items of a fan-out from `from` on, at most `limit`; items not yet started are shown PENDING. */
export function itemsOf(view: RunView, stepId: string, from = 0, limit = 1000): readonly StepSnapshot[] {
  const step = vectorGet(view.steps, numberOf(view.names, stepId) ?? -1)
  const total = step?.fan?.total ?? 0
  const out: StepSnapshot[] = []
  for (let itemIndex = from; itemIndex < Math.min(total, from + limit); itemIndex += 1) {
    const pair = (step?.fan === undefined ? undefined : vectorGet(step.fan.items, itemIndex)) ?? EMPTY_PAIR
    out.push(pairSnapshot(view, pair, { stepId, itemIndex }))
  }
  return out
}

function stepsOf(view: RunView): readonly StepSnapshot[] {
  return Array.from({ length: view.names.size }, (_, number) => stepSnapshot(view, number))
}

/** One step by its number. It depends on its fold, its name and `mayRetry` of the view alone. */
export function stepSnapshot(view: RunView, number: number): StepSnapshot {
  const known = view.meta.stepIds.length
  const stepId = (number < known ? view.meta.stepIds[number] : vectorGet(view.extraNames, number - known)) ?? ''
  const step = vectorGet(view.steps, number) ?? EMPTY_STEP
  const own = pairSnapshot(view, step, { stepId })
  const { fan } = step
  const items = fan && { total: fan.total, done: fan.done, failed: fan.failed, running: fan.running }
  return items === undefined ? own : { ...own, items }
}

/**
 * Items of a fan-out that were undone, and those whose compensation was given up. Not in the snapshot: `itemsOf` shows
 * it for each.
 */
export function undoneItemsOf(
  view: RunView,
  stepId: string,
): { readonly undone: number; readonly notUndone: number } | undefined {
  const fan = vectorGet(view.steps, numberOf(view.names, stepId) ?? -1)?.fan
  return fan === undefined ? undefined : { undone: fan.undone, notUndone: fan.notUndone }
}

/** Each step once, its fallback below it. */
function pairSnapshot(view: RunView, pair: SlotPair, names: StepSlot): StepSnapshot {
  const retries = mayRetry(view)
  const own = slotSnapshot(pair.own, names, retries && isSlotRetrying(pair.own))
  const shown = {
    ...own,
    ...(isRecovered(pair) ? { recovered: true as const } : {}),
    ...(isHandled(pair) ? { handled: true as const } : {}),
  }
  if (pair.fallback === undefined) return shown
  const role = { ...names, role: 'fallback' as const }
  return { ...shown, fallback: slotSnapshot(pair.fallback, role, retries && isSlotRetrying(pair.fallback)) }
}

function slotSnapshot(slot: SlotFold, names: StepSlot, retrying: boolean): FallbackSnapshot {
  const last = latestAttempt(slot)
  return present({
    ...slotNames(names),
    status: retrying ? ('RUNNING' as const) : (last?.status ?? ('PENDING' as const)),
    logicalAttemptId: last?.attempt ?? 1,
    engineAttemptId: last?.engineAttempt,
    startedAt: last?.startedAt,
    completedAt: retrying ? undefined : last?.completedAt,
    artifacts: last?.artifacts ?? [],
    error: last?.error,
    attempts: slot.attempts.map(attemptSnapshot),
    reason: last?.reason,
    reasonCode: last?.reasonCode,
    waitingForManualCompletion: last?.waitsFor === 'person' ? (true as const) : undefined,
    retryAt: retrying ? last?.retryAt : undefined,
    compensation: slot.compensation === undefined ? undefined : compensationSnapshot(slot.compensation),
    timeSplit: slot.split,
  })
}

function attemptSnapshot(attempt: AttemptFold): AttemptSnapshot {
  const { begunMs, endedMs, status } = attempt
  return present({
    logicalAttemptId: attempt.attempt,
    engineAttemptId: attempt.engineAttempt,
    status,
    startedAt: attempt.startedAt,
    completedAt: attempt.completedAt,
    durationMs: begunMs === undefined || endedMs === undefined ? undefined : Math.max(0, endedMs - begunMs),
    artifacts: attempt.artifacts,
    error: attempt.error,
    final: status === 'FAILED' ? attempt.final : undefined,
    retryAt: attempt.retryAt,
    reason: attempt.reason,
    reasonCode: attempt.reasonCode,
    mayHaveRunTwice: attempt.mayHaveRunTwice ? true : undefined,
  })
}

function compensationSnapshot({
  status,
  attempt,
  startedAt,
  completedAt,
  error,
  retryAt,
}: CompensationFold): CompensationSnapshot {
  return present({ status, attempts: attempt, startedAt, completedAt, error, retryAt })
}

/** Artifacts of the steps and of the run's end, each once. */
function runArtifacts(view: RunView): readonly ArtifactRef[] {
  const byUri = new Map<string, ArtifactRef>()
  for (let at = 0; at < view.artifacts.length; at += 1) {
    const artifact = vectorGet(view.artifacts, at)
    if (artifact !== undefined && !byUri.has(artifact.uri)) byUri.set(artifact.uri, artifact)
  }
  for (const artifact of view.run.artifacts) if (!byUri.has(artifact.uri)) byUri.set(artifact.uri, artifact)
  return [...byUri.values()]
}

type Present<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}

/** The same object without its undefined fields. */
function present<T extends object>(fields: T): Present<T> {
  const out: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) out[name] = value
  return out as Present<T>
}
