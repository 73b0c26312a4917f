/**
 * execute: check the log, map the input, call the action, report. It decides nothing and writes nothing but the
 * begin-claim of an irreversible attempt (P-28, P-44). Execution is at least once; its record is made by `advance`.
 */
import { steadyNow } from '../core/clock-jumps.ts'
import type { ArtifactRef } from '../core/events/event.ts'
import type { Compensation, Fallback, Isolation } from '../core/plan/plan.ts'
import { actionKind } from '../core/plan/plan.ts'
import { KeelsonError, problem } from '../core/problems/problem.ts'
import type { EffectReport } from '../ports/engine.ts'
import type { StepContext, StepSecrets } from '../ports/step-handlers.ts'
import { untilGone, untilTimeIsUp, watchTime, type AttemptTime } from './attempt-time.ts'
import { jsonCopy } from './json-copy.ts'
import { validateJson } from './json-schema.ts'
import type { BeginClaims, ClaimAnswer } from './begin-claim.ts'
import { describeError } from './describe-error.ts'
import type { LoadedRun } from './load-run.ts'
import { mappedAction, wholeMapping, type MappedAction } from './map-action.ts'
import { mappingNeeds, mapValue } from './map-input.ts'
import { redactReport } from './redact-report.ts'
import { isDamage } from './set-aside.ts'
import { NO_SECRETS, resolveSecrets, sameSecrets } from './resolve-secrets.ts'
import type { Services } from './services.ts'
import { slotRoots, stepOverrides, type RootsAt } from './slot-roots.ts'
import { stepContext } from './step-context.ts'
import { stepToken } from './step-token.ts'
import { workOf, type Executable, type Work } from './step-work.ts'
import { blameOrMark, whereabouts } from './suspects.ts'

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
    const where = await whereabouts(step, work)
    const isSuspect = where !== work.step.isolation
    const guilty = isSuspect ? await blameOrMark(services.store, run, effect, where === 'alone') : undefined
    if (guilty !== undefined) return report({ kind: 'failed', thrown: guilty, durationMs: elapsed(services, began) })
    called = true
    const isolation = where === 'alone' ? 'inline' : where
    const output = await callStep(step, work, watch, { mapped, secrets, artifactRefs, isolation })
    return report({ kind: 'completed', output, artifactRefs, durationMs: elapsed(services, began) })
  } catch (thrown) {
    const aborted = watch.aborted()
    // A store that did not answer, or lost what was recorded, is no word about the step: the effect is still owed.
    if (!called && aborted === undefined && (mayBeRepeated(thrown) || isDamage(thrown))) {
      if (claim === 'mine' && effect.kind === 'ExecuteStep') step.claims.giveBack(run, effect)
      throw thrown
    }
    if (isStray(thrown)) watch.abandon(thrown)
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
  readonly isolation: Isolation
  readonly mapped: MappedAction
  readonly secrets: StepSecrets
  readonly artifactRefs: ArtifactRef[]
}

/** Calls the action; once more when its secrets were refused and have been rotated since (DESIGN §12). */
async function callStep(step: StepCall, work: Work, watch: AttemptTime, parts: CallParts): Promise<unknown> {
  const { handlers } = step.services
  const { isolation } = parts
  const { action, input } = parts.mapped
  // A function may change what it is given; the next attempt and other steps read the same values.
  const given = (): unknown => ('run' in action && isolation === 'inline' ? jsonCopy(input) : input)
  const callWith = (secrets: StepSecrets): Promise<unknown> => {
    const context = contextOf(step, work, watch.signal, { ...parts, secrets })
    const kind = actionKind(action)
    const canBeEnded = kind === 'command' || (kind === 'run' && isolation !== 'inline')
    const until = canBeEnded ? untilGone : untilTimeIsUp
    return until(handlers.call({ action, kind, input: given(), context, isolation }), watch.limit)
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

/** An error that came by another way than its call, which may still be at work. */
function isStray(thrown: unknown): boolean {
  return thrown instanceof KeelsonError && thrown.code === 'STRAY_ERROR'
}

function elapsed(services: Services, began: number): number {
  return Math.max(0, steadyNow(services.clock) - began)
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
    ...(work.ownerRunId === undefined ? {} : { ownerRunId: work.ownerRunId }),
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
    ...(work.ownerRunId === undefined ? {} : { ownerRunId: work.ownerRunId }),
    signal,
    secrets: parts.secrets,
    artifactRefs: parts.artifactRefs,
  })
}
