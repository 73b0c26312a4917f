/**
 * execute: check the log, map the input, call the action, report. It decides nothing and writes nothing but the
 * begin-claim of an irreversible attempt (P-28, P-44). Execution is at least once; its record is made by `advance`.
 */
import type { ArtifactRef } from '../core/events/event.ts'
import { compensationSlot, innerStepSlot } from '../core/events/slot.ts'
import type { Action, Compensation, Fallback, Step } from '../core/plan/plan.ts'
import { actionKind } from '../core/plan/plan.ts'
import { KeelsonError, problem } from '../core/problems/problem.ts'
import type { Effect } from '../core/run/effect.ts'
import type { Unit } from '../core/run/state.ts'
import { locate, stepAt } from '../core/run/units.ts'
import type { EffectReport } from '../ports/engine.ts'
import type { StepContext } from '../ports/step-handlers.ts'
import { validateJson } from './json-schema.ts'
import type { BeginClaims, ClaimAnswer } from './begin-claim.ts'
import type { LoadedRun } from './load-run.ts'
import { mappingNeeds, mapValue } from './map-input.ts'
import type { Services } from './services.ts'
import { slotRoots, stepOverrides, type RootsAt } from './slot-roots.ts'
import { stepToken } from './step-token.ts'

export type Executable = Extract<Effect, { kind: 'ExecuteStep' | 'Compensate' }>

interface Work {
  readonly step: Step
  readonly unit: Unit
  readonly action: Action | Compensation | Fallback
  readonly timeoutMs: number
  readonly idempotencyKey?: string
}

export interface StepCall {
  readonly services: Services
  readonly claims: BeginClaims
  readonly run: LoadedRun
  readonly effect: Executable
  readonly signal: AbortSignal
  /** The fold as it is by then: mapping the input takes time, and outcomes may come by another way meanwhile. */
  readonly latest: () => Promise<LoadedRun>
}

export async function executeStep(step: StepCall): Promise<EffectReport | undefined> {
  const { services, run, effect } = step
  const work = workOf(run, effect)
  if (work === undefined) return undefined
  const began = services.clock.now()
  const { slot, attempt, engineAttempt } = effect
  const report = (result: EffectReport['result']): EffectReport => ({ slot, attempt, engineAttempt, result })
  const artifactRefs: ArtifactRef[] = []
  const watch = watchTime(services, work.timeoutMs, step.signal)
  let claim: ClaimAnswer | undefined
  let called = false
  try {
    const input = await mapInput(services, run, work, effect)
    claim = await claimOf(step, work)
    if (claim === 'repeat') return undefined
    if (claim === 'taken') return report(unknownFate(effect, elapsed(services, began)))
    if (workOf(await step.latest(), effect) === undefined) return undefined
    watch.signal.throwIfAborted()
    const context = contextOf(run, work, effect, input, watch.signal, artifactRefs)
    called = true
    const call = services.handlers.call({ action: work.action, kind: actionKind(work.action), input, context })
    const output = await untilTimeIsUp(call, watch.limit)
    return report({ kind: 'completed', output, artifactRefs, durationMs: elapsed(services, began) })
  } catch (thrown) {
    const aborted = watch.aborted()
    // A store that did not answer is no word about the step: the effect is still owed.
    if (!called && aborted === undefined && mayBeRepeated(thrown)) {
      if (claim === 'mine' && effect.kind === 'ExecuteStep') step.claims.giveBack(run, effect)
      throw thrown
    }
    const durationMs = elapsed(services, began)
    return report({ kind: 'failed', thrown, ...(aborted === undefined ? {} : { aborted }), durationMs })
  } finally {
    watch.stop()
  }
}

function mayBeRepeated(thrown: unknown): boolean {
  return thrown instanceof KeelsonError && thrown.problems.some((one) => one.retryable)
}

async function claimOf({ claims, run, effect }: StepCall, { step }: Work): Promise<ClaimAnswer> {
  return step.effect === 'irreversible' && effect.kind === 'ExecuteStep' ? claims.take(run, effect) : 'mine'
}

function unknownFate(effect: Executable, durationMs: number): EffectReport['result'] {
  const message = `somebody else began '${effect.slot}'; whether it happened is not known`
  return {
    kind: 'failed',
    thrown: new KeelsonError([problem('INDETERMINATE', message)]),
    indeterminate: true,
    durationMs,
  }
}

function elapsed(services: Services, began: number): number {
  return Math.max(0, services.clock.now() - began)
}

/** The attempt must still be open: an effect may arrive twice, or after its outcome. */
function workOf(run: LoadedRun, effect: Executable): Work | undefined {
  return effect.kind === 'Compensate' ? undoWork(run, effect) : stepWork(run, effect)
}

function stepWork(run: LoadedRun, effect: Executable): Work | undefined {
  const found = locate(run.state, effect.slot)
  if (found === undefined || found.unit.status !== 'RUNNING' || found.unit.attempt !== effect.attempt) return undefined
  const step = stepAt(run.state.graph, found.unit.step)
  const action = found.unit.fallback && step.fallback !== undefined ? step.fallback : step
  return { step, unit: found.unit, action, timeoutMs: step.timeoutMs }
}

function undoWork(run: LoadedRun, effect: Executable): Work | undefined {
  const current = run.state.undo?.current
  if (
    current?.status !== 'RUNNING' ||
    compensationSlot(current.slot) !== effect.slot ||
    current.attempt !== effect.attempt
  )
    return undefined
  const found = locate(run.state, current.slot)
  const step = found === undefined ? undefined : stepAt(run.state.graph, found.unit.step)
  if (found === undefined || step?.compensate === undefined) return undefined
  // The owner of the effect owns the key under which it is undone, once (DESIGN §5, fork).
  const owner = found.unit.ownerRunId === '' ? run.identity.runId : found.unit.ownerRunId
  return {
    step,
    unit: found.unit,
    action: step.compensate,
    timeoutMs: step.compensate.timeoutMs,
    idempotencyKey: `${owner}:${current.slot}:compensate`,
  }
}

async function mapInput(services: Services, run: LoadedRun, work: Work, effect: Executable): Promise<unknown> {
  const undoing = effect.kind === 'Compensate'
  const at: RootsAt = {
    store: services.store,
    run,
    state: run.state,
    unit: work.unit,
    seq: undoing ? run.state.seq : work.unit.inputSeq,
    ...(undoing ? {} : { outputsUpTo: work.unit.inputSeq }),
    attempt: effect.attempt,
  }
  const mapping = undoing || work.unit.fallback ? (work.action as Compensation | Fallback).with : work.step.with
  const needs = mappingNeeds(mapping)
  if (!needs.ok) throw refusedInput(needs.problems.map((one) => one.message))
  const mapped = mapValue(mapping, await slotRoots(at, needs.value))
  if (!mapped.ok) throw refusedInput(mapped.problems.map((one) => one.message))
  if (undoing) return mapped.value
  const overrides = run.state.overrides.size === 0 ? {} : await stepOverrides(at)
  const input = Object.keys(overrides).length === 0 ? mapped.value : { ...(mapped.value as object), ...overrides }
  if (work.step.inputSchema !== undefined && !work.unit.fallback) {
    const valid = validateJson(work.step.inputSchema, input, 'INPUT_INVALID')
    if (!valid.ok) throw refusedInput(valid.problems.map((one) => one.message))
  }
  return input
}

function refusedInput(messages: readonly string[]): KeelsonError {
  return new KeelsonError([problem('INPUT_INVALID', messages.join('; '))])
}

function contextOf(
  run: LoadedRun,
  work: Work,
  effect: Executable,
  input: unknown,
  signal: AbortSignal,
  artifacts: ArtifactRef[],
): StepContext {
  const { runId, planId, planVersion } = run.identity
  const slot = innerStepSlot(effect.slot)
  const freshKey = work.unit.freshKey
  const token = (): string =>
    stepToken({
      workflowId: planId,
      stepId: effect.slot,
      executionId: runId,
      input,
      ...(freshKey === '' ? {} : { freshKey }),
    }).token
  return {
    signal,
    idempotencyKey: work.idempotencyKey ?? token(),
    runId,
    stepId: work.step.stepId,
    ...(slot?.itemIndex === undefined ? {} : { itemIndex: slot.itemIndex }),
    attempt: effect.attempt,
    engineAttempt: effect.engineAttempt,
    planId,
    planVersion,
    addArtifact: (artifact) => {
      artifacts.push(artifact)
    },
    heartbeat: () => undefined,
  }
}

interface Watch {
  readonly signal: AbortSignal
  /** Fires when the attempt's own time is up. */
  readonly limit: AbortSignal
  readonly aborted: () => 'cancel' | 'timeout' | undefined
  readonly stop: () => void
}

/**
 * The attempt's own time limit joined with the engine's signal; which of the two fired is remembered. Once the
 * attempt is asked to stop, the decider's grace counts and no longer its own limit.
 */
function watchTime(services: Services, timeoutMs: number, outer: AbortSignal): Watch {
  const controller = new AbortController()
  const limit = new AbortController()
  let cause: 'cancel' | 'timeout' | undefined
  const abort = (why: 'cancel' | 'timeout', reason: unknown): void => {
    cause ??= why
    controller.abort(reason)
  }
  const cancelTimer = services.timers.after(timeoutMs, () => {
    const timeout = new KeelsonError([problem('TIMEOUT', `the attempt ran longer than ${timeoutMs} ms`)])
    abort('timeout', timeout)
    limit.abort(timeout)
  })
  const onOuter = (): void => {
    cancelTimer()
    abort('cancel', outer.reason)
  }
  if (outer.aborted) onOuter()
  else outer.addEventListener('abort', onOuter, { once: true })
  return {
    signal: controller.signal,
    limit: limit.signal,
    aborted: () => cause,
    stop: () => {
      cancelTimer()
      outer.removeEventListener('abort', onOuter)
    },
  }
}

/**
 * A step whose time is up is abandoned: its attempt ends now, whatever it still does. One that was asked to stop is
 * waited for: its result counts within the grace and is recorded as late after it (CAN-01, X-31).
 */
async function untilTimeIsUp<T>(work: Promise<T>, limit: AbortSignal): Promise<T> {
  let stop: () => void = () => undefined
  const expired = new Promise<never>((_resolve, reject) => {
    const onAbort = (): void => reject(limit.reason as Error)
    stop = () => limit.removeEventListener('abort', onAbort)
    limit.addEventListener('abort', onAbort, { once: true })
  })
  try {
    return await Promise.race([work, expired])
  } finally {
    stop()
  }
}
