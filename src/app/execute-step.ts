/**
 * execute: check the log, map the input, call the action, report. It decides nothing and writes nothing but the
 * begin-claim of an irreversible attempt (P-28, P-44). Execution is at least once; its record is made by `advance`.
 */
import { steadyNow } from '../core/clock-jumps.ts'
import type { ArtifactRef } from '../core/events/event.ts'
import { compensationSlot } from '../core/events/slot.ts'
import type { Action, Compensation, Fallback, Step } from '../core/plan/plan.ts'
import { actionKind } from '../core/plan/plan.ts'
import { KeelsonError, problem } from '../core/problems/problem.ts'
import type { Effect } from '../core/run/effect.ts'
import type { Unit } from '../core/run/state.ts'
import { locate, stepAt } from '../core/run/units.ts'
import type { EffectReport } from '../ports/engine.ts'
import type { StepContext, StepSecrets } from '../ports/step-handlers.ts'
import { untilGone, untilTimeIsUp, watchTime, type AttemptTime } from './attempt-time.ts'
import { validateJson } from './json-schema.ts'
import type { BeginClaims, ClaimAnswer } from './begin-claim.ts'
import { describeError } from './describe-error.ts'
import type { LoadedRun } from './load-run.ts'
import { mappedAction, wholeMapping, type MappedAction } from './map-action.ts'
import { mappingNeeds, mapValue } from './map-input.ts'
import { redactReport } from './redact-report.ts'
import { NO_SECRETS, resolveSecrets, sameSecrets } from './resolve-secrets.ts'
import type { Services } from './services.ts'
import { slotRoots, stepOverrides, type RootsAt } from './slot-roots.ts'
import { stepContext } from './step-context.ts'
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
  const began = steadyNow(services.clock)
  const { slot, attempt, engineAttempt } = effect
  const report = (result: EffectReport['result']): EffectReport => ({
    slot,
    attempt,
    engineAttempt,
    result: redactReport(services.redactor, result),
  })
  const artifactRefs: ArtifactRef[] = []
  const watch = watchTime(services.timers, work.timeoutMs, step.signal)
  let claim: ClaimAnswer | undefined
  let called = false
  try {
    const mapped = await mapInput(services, run, work, effect)
    // Before the claim: a secret that is not to be had must not leave an irreversible step in doubt.
    const secrets =
      work.step.secrets === undefined ? NO_SECRETS : await resolveSecrets(services, run.identity, work.step)
    claim = await claimOf(step, work)
    if (claim === 'repeat') return undefined
    if (claim === 'taken') return report(unknownFate(effect, elapsed(services, began)))
    if (workOf(await step.latest(), effect) === undefined) return undefined
    watch.signal.throwIfAborted()
    called = true
    const output = await callStep(step, work, watch, { mapped, secrets, artifactRefs })
    return report({ kind: 'completed', output, artifactRefs, durationMs: elapsed(services, began) })
  } catch (thrown) {
    const aborted = watch.aborted()
    // A store that did not answer is no word about the step: the effect is still owed.
    if (!called && aborted === undefined && mayBeRepeated(thrown)) {
      if (claim === 'mine' && effect.kind === 'ExecuteStep') step.claims.giveBack(run, effect)
      throw thrown
    }
    // Killed after its grace, which the decider has recorded by itself: this is no late result of anybody.
    if (aborted === 'cancel' && thrown instanceof KeelsonError && thrown.code === 'CANCELLED') return undefined
    const durationMs = elapsed(services, began)
    const partial = artifactRefs.length === 0 ? {} : { artifactRefs }
    const fate =
      called && aborted === undefined && isInDoubt(work, effect, thrown) ? { indeterminate: true as const } : {}
    const why = aborted === undefined ? {} : { aborted }
    return report({ kind: 'failed', thrown, ...why, ...fate, ...partial, durationMs })
  } finally {
    watch.stop()
  }
}

interface CallParts {
  readonly mapped: MappedAction
  readonly secrets: StepSecrets
  readonly artifactRefs: ArtifactRef[]
}

/** Calls the action; once more when its secrets were refused and have been rotated since (DESIGN §12). */
async function callStep(step: StepCall, work: Work, watch: AttemptTime, parts: CallParts): Promise<unknown> {
  const { handlers } = step.services
  const { isolation } = work.step
  const { action, input } = parts.mapped
  const callWith = (secrets: StepSecrets): Promise<unknown> => {
    const context = contextOf(step, work, watch.signal, { ...parts, secrets })
    const kind = actionKind(action)
    const canBeEnded = kind === 'command' || (kind === 'run' && isolation !== 'inline')
    const until = canBeEnded ? untilGone : untilTimeIsUp
    return until(handlers.call({ action, kind, input, context, isolation }), watch.limit)
  }
  try {
    return await callWith(parts.secrets)
  } catch (thrown) {
    const fresh = parts.secrets === NO_SECRETS ? undefined : await rotatedSecrets(step, work, parts.secrets, thrown)
    if (fresh === undefined || watch.signal.aborted) throw thrown
    return await callWith(fresh)
  }
}

async function rotatedSecrets(
  { services, run }: StepCall,
  { step }: Work,
  used: StepSecrets,
  thrown: unknown,
): Promise<StepSecrets | undefined> {
  if (step.effect === 'irreversible' || describeError(thrown).error.errorClass !== 'auth_deny') return undefined
  try {
    const fresh = await resolveSecrets(services, run.identity, step)
    return sameSecrets(used, fresh) ? undefined : fresh
  } catch {
    // The refusal of the step is the better word: it is what happened.
    return undefined
  }
}

/** Not so a secret: a provider that does not answer is told in the log, and the policy says how often to try. */
function mayBeRepeated(thrown: unknown): boolean {
  return (
    thrown instanceof KeelsonError &&
    thrown.code !== 'SECRET_UNAVAILABLE' &&
    thrown.problems.some((one) => one.retryable)
  )
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

/** A request that had left and was not answered may have been acted on; only the door's word counts, no handler's (P-28). */
function isInDoubt({ step, action }: Work, effect: Executable, thrown: unknown): boolean {
  return (
    step.effect === 'irreversible' &&
    effect.kind === 'ExecuteStep' &&
    actionKind(action) === 'http' &&
    thrown instanceof Error &&
    'mayHaveHappened' in thrown &&
    thrown.mayHaveHappened === true
  )
}

function elapsed(services: Services, began: number): number {
  return Math.max(0, steadyNow(services.clock) - began)
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

async function mapInput(services: Services, run: LoadedRun, work: Work, effect: Executable): Promise<MappedAction> {
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
  const given = undoing || work.unit.fallback ? (work.action as Compensation | Fallback).with : work.step.with
  const mapping = wholeMapping(given, work.action)
  const needs = mappingNeeds(mapping)
  if (!needs.ok) throw refusedInput(needs.problems.map((one) => one.message))
  const mapped = mapValue(mapping, await slotRoots(at, needs.value))
  if (!mapped.ok) throw refusedInput(mapped.problems.map((one) => one.message))
  if (undoing) return mappedAction(work.action, mapped.value)
  const overrides = run.state.overrides.size === 0 ? {} : await stepOverrides(at)
  const result = mappedAction(work.action, mapped.value, overrides)
  if (work.step.inputSchema !== undefined && !work.unit.fallback) {
    const valid = validateJson(work.step.inputSchema, result.input, 'INPUT_INVALID')
    if (!valid.ok) throw refusedInput(valid.problems.map((one) => one.message))
  }
  return result
}

function refusedInput(messages: readonly string[]): KeelsonError {
  return new KeelsonError([problem('INPUT_INVALID', messages.join('; '))])
}

function contextOf(
  { services, run, effect }: StepCall,
  work: Work,
  signal: AbortSignal,
  parts: CallParts,
): StepContext {
  const { runId, planId } = run.identity
  const { freshKey } = work.unit
  const token = (): string =>
    stepToken({
      workflowId: planId,
      stepId: effect.slot,
      executionId: runId,
      input: parts.mapped.keyedBy,
      ...(freshKey === '' ? {} : { freshKey }),
    }).token
  return stepContext({
    services,
    run,
    step: work.step,
    unit: work.unit,
    effect,
    idempotencyKey: work.idempotencyKey ?? token(),
    signal,
    secrets: parts.secrets,
    artifactRefs: parts.artifactRefs,
  })
}
