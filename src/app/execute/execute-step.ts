/**
 * execute: check the log, map the input, call the action, report. It decides nothing and writes nothing but the
 * begin-claim of an irreversible attempt (P-28, P-44). Execution is at least once; its record is made by `advance`.
 */
import { steadyNow } from '../../core/clock-jumps.ts'
import type { ArtifactRef } from '../../core/events/event.ts'
import type { Isolation } from '../../core/plan/plan.ts'
import { actionKind } from '../../core/plan/plan.ts'
import { KeelsonError, problem } from '../../core/problems/problem.ts'
import type { EffectOutcome } from '../../ports/engine.ts'
import type { StepContext, StepSecrets } from '../../ports/step-handlers.ts'
import { untilGone, untilTimeIsUp, watchTime, type AttemptTime } from './attempt-time.ts'
import { jsonCopy } from '../log/json-copy.ts'
import type { ClaimAnswer } from './begin-claim.ts'
import { callWorker } from './call-worker.ts'
import { describeError } from '../redact/describe-error.ts'
import { noting } from '../deaths/last-words.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import type { MappedAction } from './map-action.ts'
import { mapWork } from './map-work.ts'
import { redactReport } from '../redact/report.ts'
import { isDamage } from '../loaded/set-aside.ts'
import { HeldSecrets, NO_SECRETS, sameSecrets } from './resolve-secrets.ts'
import { refuseAct } from '../plans/run-lock.ts'
import type { Services } from '../services.ts'
import type { StepCall } from './step-call.ts'
import { stepContext } from './step-context.ts'
import { stepIdempotencyKey } from './step-idempotency-key.ts'
import { farFunction, workOf, type Executable, type Work } from './step-work.ts'
import { blameOrMark, whereabouts, type Whereabouts } from './suspects.ts'

export async function executeStep(step: StepCall): Promise<EffectOutcome | undefined> {
  const { services, run, effect } = step
  const work = workOf(run, effect)
  if (work === undefined) return undefined
  const far = farFunction(work)
  let began = steadyNow(services.clock)
  let { engineAttempt } = effect
  const report = (result: EffectOutcome['result']): EffectOutcome =>
    outcomeOf(step, engineAttempt, redactReport(services.redactors?.of(run.row.runKey), result))
  const artifactRefs: ArtifactRef[] = []
  const held = new HeldSecrets(services, run)
  const watch = watchTime(services.timers, far === undefined ? work.timeoutMs : 'not-begun', step.signal)
  let claim: ClaimAnswer | undefined
  let called = false
  try {
    const mapping = mapAndKey(services, run, work, effect)
    const { mapped, key } = mapping instanceof Promise ? await mapping : mapping
    if (run.state.lock !== undefined) refuseAct(mapped.action, work.step, run.state.lock)
    // Before the claim: a secret that is not available must not leave an irreversible step in doubt.
    const secrets = work.step.secrets === undefined ? NO_SECRETS : await held.resolve(work.step)
    const claiming = far === undefined ? claimOf(step, work) : 'mine'
    claim = claiming instanceof Promise ? await claiming : claiming
    if (claim === 'repeat') return undefined
    if (claim === 'taken') return report(unknownFate(effect, elapsed(services, began)))
    if (workOf(await step.latest(), effect) === undefined) return undefined
    watch.signal.throwIfAborted()
    const parts = { mapped, key, secrets, held, artifactRefs }
    // What is handed out again has begun once more, as after the death of a process here (P-27).
    const onClaim = (claims: number): void => {
      began = steadyNow(services.clock)
      engineAttempt = effect.engineAttempt + claims - 1
    }
    const begins = (): void => void (called = true)
    const output =
      far === undefined
        ? await callHere(step, work, watch, parts, begins)
        : await callWorker(far, { ...parts, step, work, watch, begins, onClaim })
    return report({ kind: 'completed', output, artifactRefs, durationMs: elapsed(services, began) })
  } catch (thrown) {
    const aborted = watch.aborted()
    // A store that does not answer, or that lost a record, says nothing about the step: the effect is still owed.
    if ((!called || far !== undefined) && aborted === undefined && (mayBeRepeated(thrown) || isDamage(thrown))) {
      if (claim === 'mine' && effect.kind === 'ExecuteStep') step.claims.giveBack(run, effect)
      throw thrown
    }
    if (isStray(thrown)) watch.abandon(thrown)
    // It was killed after its grace period, and the decider has recorded that itself: this is not a late result.
    if ((aborted === 'cancel' || far !== undefined) && isProblem(thrown, 'CANCELLED')) return undefined
    const durationMs = elapsed(services, began)
    const partial = artifactRefs.length === 0 ? {} : { artifactRefs }
    const fate =
      called && aborted === undefined && isInDoubt(work, effect, thrown) ? { indeterminate: true as const } : {}
    const why = aborted === undefined ? {} : { aborted }
    return report({ kind: 'failed', thrown, ...why, ...fate, ...partial, durationMs })
  } finally {
    watch.stop()
    held.release()
  }
}

function outcomeOf({ effect }: StepCall, engineAttempt: number, result: EffectOutcome['result']): EffectOutcome {
  const { slot, attempt } = effect
  return { slot, attempt, engineAttempt, result }
}

/** `begins` is called when nothing but the action itself can fail any more, or when it is blamed for a death. */
function callHere(
  step: StepCall,
  work: Work,
  watch: AttemptTime,
  parts: Omit<CallParts, 'isolation'>,
  begins: () => void,
): Promise<unknown> {
  const where = whereabouts(step, work)
  const { isolation } = work.step
  if (where !== isolation || step.services.lastWords?.process.isNoted === true)
    return callWithCare(where, step, work, watch, parts, begins)
  begins()
  return callStep(step, work, watch, { ...parts, isolation })
}

/** It may be the cause when this process dies, or something else is at work that may. */
async function callWithCare(
  asked: Whereabouts | Promise<Whereabouts>,
  step: StepCall,
  work: Work,
  watch: AttemptTime,
  parts: Omit<CallParts, 'isolation'>,
  begins: () => void,
): Promise<unknown> {
  const { services, run, effect } = step
  const where = await asked
  const isSuspect = where !== work.step.isolation
  const guilty = isSuspect ? await blameOrMark(services.store, run, effect, where === 'alone') : undefined
  if (guilty === undefined && services.lastWords?.process.isNoted === true)
    await services.lastWords.process.untilQuiet()
  begins()
  if (guilty !== undefined) throw guilty
  return callStep(step, work, watch, { ...parts, isolation: where === 'alone' ? 'inline' : where })
}

interface CallParts {
  readonly isolation: Isolation
  readonly mapped: MappedAction
  readonly key: () => string
  readonly secrets: StepSecrets
  readonly held: HeldSecrets
  readonly artifactRefs: ArtifactRef[]
}

/** Calls the action; once more when its secrets were refused and have been rotated since. */
async function callStep(step: StepCall, work: Work, watch: AttemptTime, parts: CallParts): Promise<unknown> {
  const { handlers, lastWords } = step.services
  const { isolation } = parts
  const { lock } = step.run.state
  const { action, input } = parts.mapped
  // A function may change what it is given; the next attempt and other steps read the same values.
  const given = (): unknown => ('run' in action && isolation === 'inline' ? jsonCopy(input) : input)
  const callWith = (secrets: StepSecrets): Promise<unknown> => {
    const context = contextOf(step, work, watch.signal, { ...parts, secrets })
    const kind = actionKind(action)
    const canBeEnded = kind === 'command' || (kind === 'run' && isolation !== 'inline')
    const until = canBeEnded ? untilGone : untilTimeIsUp
    const mask = step.services.redactors?.of(step.run.row.runKey)
    const plain = { action, kind, input: given(), context, isolation }
    const only = lock === undefined ? plain : { ...plain, onlyHosts: lock.hosts }
    return until(handlers.call(mask === undefined ? only : { ...only, mask }), watch.limit)
  }
  lastWords?.process.begin()
  try {
    return await callWith(parts.secrets)
  } catch (thrown) {
    const fresh = parts.secrets === NO_SECRETS ? undefined : await rotatedSecrets(work, parts, thrown)
    if (fresh === undefined || watch.signal.aborted) throw thrown
    return await callWith(fresh)
  } finally {
    lastWords?.process.end()
  }
}

async function rotatedSecrets(
  { step }: Work,
  { secrets: used, held }: CallParts,
  thrown: unknown,
): Promise<StepSecrets | undefined> {
  if (step.effect === 'irreversible' || describeError(thrown).error.errorClass !== 'auth_deny') return undefined
  try {
    const fresh = await held.resolve(step)
    return sameSecrets(used, fresh) ? undefined : fresh
  } catch {
    // The step's own refusal says more about what happened.
    return undefined
  }
}

function isProblem(thrown: unknown, code: string): boolean {
  return thrown instanceof KeelsonError && thrown.code === code
}

/** Secrets are different: if a provider does not answer, the log records it and the retry policy decides how often to try. */
function mayBeRepeated(thrown: unknown): boolean {
  return (
    thrown instanceof KeelsonError &&
    thrown.code !== 'SECRET_UNAVAILABLE' &&
    thrown.problems.some((one) => one.retryable)
  )
}

function claimOf({ claims, run, effect }: StepCall, { step }: Work): 'mine' | Promise<ClaimAnswer> {
  return step.effect === 'irreversible' && effect.kind === 'ExecuteStep' ? claims.take(run, effect) : 'mine'
}

function unknownFate(effect: Executable, durationMs: number): EffectOutcome['result'] {
  const message = `somebody else began '${effect.slot}'; whether it happened is not known`
  return {
    kind: 'failed',
    thrown: new KeelsonError([problem('INDETERMINATE', message)]),
    indeterminate: true,
    durationMs,
  }
}

/**
 * A request that was sent and not answered may have had its effect, and so may what a silent worker began. Only the egress door and
 * the queue know this, not a handler (P-28).
 */
function isInDoubt(work: Work, effect: Executable, thrown: unknown): boolean {
  const { step, action } = work
  if (farFunction(work) !== undefined) return isProblem(thrown, 'INDETERMINATE')
  return (
    step.effect === 'irreversible' &&
    effect.kind === 'ExecuteStep' &&
    actionKind(action) === 'http' &&
    thrown instanceof Error &&
    'mayHaveHappened' in thrown &&
    thrown.mayHaveHappened === true
  )
}

/** An error that did not come from the call itself; the call may still be at work. */
function isStray(thrown: unknown): boolean {
  return isProblem(thrown, 'STRAY_ERROR')
}

function elapsed(services: Services, began: number): number {
  return Math.max(0, steadyNow(services.clock) - began)
}

interface Mapped {
  readonly mapped: MappedAction
  /** The key under which the action is called, however often. Two hashes that few steps look at: made when it is asked for. */
  readonly key: () => string
}

function mapAndKey(services: Services, run: LoadedRun, work: Work, effect: Executable): Mapped | Promise<Mapped> {
  const doing = `mapping the input of '${effect.slot}'` as const
  return noting(services, run.row, doing, () => mapNow(services, run, work, effect))
}

function mapNow(services: Services, run: LoadedRun, work: Work, effect: Executable): Mapped | Promise<Mapped> {
  const mapped = mapWork(services.store, run, work, effect)
  const keyed = (one: MappedAction): Mapped => ({ mapped: one, key: keyOf(run, work, effect, one) })
  return mapped instanceof Promise ? mapped.then(keyed) : keyed(mapped)
}

function keyOf(run: LoadedRun, work: Work, effect: Executable, mapped: MappedAction): Mapped['key'] {
  const { freshKey } = work.unit
  return () =>
    work.idempotencyKey ??
    stepIdempotencyKey({
      workflowId: run.identity.planId,
      stepId: effect.slot,
      executionId: run.identity.runId,
      input: mapped.keyedBy,
      ...(freshKey === '' ? {} : { freshKey }),
    }).token
}

function contextOf(
  { services, run, effect }: StepCall,
  work: Work,
  signal: AbortSignal,
  parts: CallParts,
): StepContext {
  return stepContext({
    services,
    run,
    step: work.step,
    unit: work.unit,
    effect,
    idempotencyKey: parts.key,
    ...(work.ownerRunId === undefined ? {} : { ownerRunId: work.ownerRunId }),
    signal,
    secrets: parts.secrets,
    artifactRefs: parts.artifactRefs,
  })
}
