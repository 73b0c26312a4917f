/**
 * Whether a signal is taken, by the state alone. The rules of SIG-05, SIG-12, SIG-16 and X-98 stand here and nowhere else:
 * `decide` follows them, and `explain` offers a signal only if they would take it.
 */
import type { ProblemCode } from '../../problems/registry.ts'
import { isHeld } from '../failure/held.ts'
import type { InputBody } from '../input.ts'
import { approvalsOf, isReleased, unusedApproval, type GivenApproval } from '../people/approvals.ts'
import { dutyRefusal, judgesPeople, unnamedRefusal, type Refusal } from '../people/judge-person.ts'
import type { RunState } from '../state/state.ts'
import { isTerminalRun } from '../state/transitions.ts'
import type { Unit } from '../state/unit.ts'
import { stepAt, stepUnit } from '../state/units.ts'
import { isChange, lacksReason, SAY_WHY, textField, type SignalType } from './catalogue.ts'

/** What the rules look at. The sender and the sender's roles were checked before. */
type Signal = Pick<Extract<InputBody, { kind: 'signal' }>, 'payload' | 'authorization'>

/** Undefined: accepted and applied. `nothing`: accepted, and the state is already what it asks for. */
type Verdict = { readonly refuse: ProblemCode; readonly why: string } | 'nothing' | undefined

export function signalVerdict(state: RunState, signalType: SignalType, signal: Signal): Verdict {
  if (judgesPeople(state) && lacksReason(signalType, signal.payload))
    return { refuse: 'AUTHZ_REASON_REQUIRED', why: SAY_WHY }
  const unnamed = isChange(signalType) ? makerRefusal(state, signalType, signal) : undefined
  if (unnamed !== undefined) return { refuse: unnamed.code, why: unnamed.why }
  return RULES[signalType](state, signal)
}

/** A person who changes the run becomes one of its makers, so a rule about makers needs their name. */
function makerRefusal(state: RunState, signalType: SignalType, { authorization }: Signal): Refusal | undefined {
  return unnamedRefusal(state, authorization.actorId ?? '', `changes the run (${signalType})`, 'makers')
}

const ENDED = { refuse: 'RUN_TERMINAL', why: 'the run has ended; RETRY_RUN starts a new one from its results' } as const
const ENDING = {
  refuse: 'RUN_TERMINAL',
  why: 'the run is ending and can no longer be changed; RETRY_RUN starts a new one',
} as const
const NOT_STARTED = { refuse: 'RUN_NOT_RUNNING', why: 'the run has not started' } as const

/** Once undoing, cancelling or the end's skips have begun, steps can no longer be changed (P-11). */
function isEnding(state: RunState): boolean {
  const isUndoing = state.compensation !== undefined || state.compensationOf !== ''
  return isUndoing || state.cancelling !== undefined || state.endSkipsFrom >= 0
}

/** Before rules version 6 a cancelled run undid nothing, and its driver may be such an older version. */
const cancelRule = (state: RunState, signal: Signal): Verdict => {
  if (isEnding(state)) return 'nothing'
  const isNew = state.status === 'PENDING' || state.status === 'APPROVED' || state.rulesVersion >= 6
  if (signal.payload['undo'] !== true || isNew) return undefined
  const why = `the run began under rules version ${state.rulesVersion}, which undoes nothing when a run is cancelled`
  return { refuse: 'SIGNAL_INVALID_PAYLOAD', why }
}

/** Does this cancellation ask for what is done to be undone? */
export function undoes({ signalType, payload }: Extract<InputBody, { kind: 'signal' }>): boolean {
  return signalType === 'CANCEL' && payload['undo'] === true
}

type Rule = (state: RunState, signal: Signal) => Verdict

/** Rules that hold for every signal that wants to change a live run. */
function live(rule: Rule): Rule {
  return (state, signal) => {
    if (isTerminalRun(state.status)) return ENDED
    if (state.endSkipsFrom >= 0) return ENDING
    return rule(state, signal)
  }
}

const started = (rule: Rule): Rule =>
  live((state, signal) =>
    state.status === 'PENDING' || state.status === 'APPROVED' ? NOT_STARTED : rule(state, signal),
  )

const onStep = (rule: (state: RunState, unit: Unit, signal: Signal) => Verdict): Rule =>
  live((state, signal) => {
    const stepId = textField(signal, 'stepId') ?? ''
    const index = state.graph.indexOf.get(stepId)
    if (index === undefined) return { refuse: 'STEP_UNKNOWN', why: `the plan has no step '${stepId}'` }
    return rule(state, stepUnit(state, index), signal)
  })

/** In the eyes of a person a step in backoff or with its fallback open is still running. */
function isBusy(unit: Unit): boolean {
  return unit.status === 'RUNNING' || unit.backoff || unit.fallbackOpen
}

const retryStep = onStep((state, unit) => {
  if (isBusy(unit)) return { refuse: 'STEP_NOT_TERMINAL', why: 'the step is still running' }
  if (unit.status !== 'FAILED' || unit.recovered) {
    const why =
      unit.status === 'SUCCESS' ? 'the step succeeded; to run it again, fork the run' : 'the step has not failed'
    return { refuse: 'STEP_NOT_FAILED', why }
  }
  if (isEnding(state)) return ENDING
  return judgesPeople(state) && isReleased(state, unit.step) ? spent(state, unit) : undefined
})

/** A second dispatch needs a second approval; a fork that repeats the manual step asks for it. */
function spent(state: RunState, { step }: Unit): Verdict {
  const given = approvalsOf(state, step)
  const above = given[0]?.runId
  const fork = above === undefined ? 'fork the run from it' : `fork run ${above} from it`
  const why = `${given.map(nameOf).join(', ')} was given for one dispatch of '${state.graph.stepIds[step] ?? ''}': ${fork}`
  return { refuse: 'APPROVAL_SPENT', why }
}

function nameOf({ runId, stepId }: GivenApproval): string {
  return runId === undefined ? `'${stepId}'` : `'${stepId}' of run ${runId}`
}

/** What was approved is what is dispatched: nothing of it changes between the two. */
function bound(state: RunState): Verdict {
  if (!judgesPeople(state)) return undefined
  const what = inQueue(state) ?? givenFor(unusedApproval(state))
  if (what === undefined) return undefined
  return { refuse: 'APPROVAL_BINDS_INPUT', why: `${what} for the input as it is: cancel the run and start it anew` }
}

function inQueue({ approvedBy, approved }: RunState): string | undefined {
  if (approvedBy !== '') return `${approvedBy} approved the run`
  const above = approved?.inQueue
  return above === undefined ? undefined : `${above.approvedBy} approved run ${above.runId}`
}

function givenFor(approval: GivenApproval | undefined): string | undefined {
  return approval === undefined ? undefined : `${nameOf(approval)} was given`
}

/** What was approved depends on what this step does. Whoever may complete a task may skip it, and that is an approval too. */
function feedsApproved(state: RunState, { step }: Unit): Verdict {
  if (!judgesPeople(state) || state.graph.kinds[step] === 'manual') return undefined
  const given = givenFor(unusedApproval(state, step))
  if (given === undefined) return undefined
  const why = `${given} for what comes after '${state.graph.stepIds[step] ?? ''}' as it is: cancel the run and fork it`
  return { refuse: 'APPROVAL_BINDS_INPUT', why }
}

const skipStep = onStep((state, unit, signal) => {
  if (state.status === 'PENDING' || state.status === 'APPROVED') return NOT_STARTED
  if (isBusy(unit)) return { refuse: 'STEP_RUNNING', why: 'the step is running' }
  if (unit.status === 'SUCCESS' || unit.status === 'SKIPPED' || unit.recovered)
    return { refuse: 'STEP_TERMINAL', why: 'the step has ended' }
  if (isEnding(state)) return ENDING
  if (unit.status === 'FAILED' && !isHeld(state))
    return { refuse: 'STEP_TERMINAL', why: 'the step has failed and the run is not held' }
  // Skipping a task releases what waits for it, so it is judged like completing it.
  const step = stepAt(state.graph, unit.step)
  const { actorId = '', actorRole } = signal.authorization
  const acting = { actorId, roles: actorRole === undefined ? [] : [actorRole] }
  const refusal = judgesPeople(state) ? dutyRefusal(state, step, acting, 'skip') : undefined
  return refusal === undefined ? feedsApproved(state, unit) : { refuse: refusal.code, why: refusal.why }
})

const retryRun: Rule = (state) => {
  if (state.compensationOf !== '')
    return { refuse: 'RUN_NOT_FORKABLE', why: `the run only undid run ${state.compensationOf}; retry its parent` }
  if (state.status === 'FAILED' || state.status === 'CANCELLED') return undefined
  if (state.status === 'COMPLETED')
    return { refuse: 'RUN_TERMINAL', why: 'the run completed; there is nothing to retry' }
  return { refuse: 'RUN_NOT_TERMINAL', why: 'the run has not ended; retry the failed step, or cancel the run first' }
}

const RULES: Readonly<Record<SignalType, Rule>> = {
  PAUSE: started((state) => (state.status === 'PAUSED' || isEnding(state) ? 'nothing' : undefined)),
  RESUME: started((state) => (state.status === 'PAUSED' ? undefined : 'nothing')),
  CANCEL: live(cancelRule),
  EMERGENCY_STOP: live(() => undefined),
  RETRY_STEP: retryStep,
  SKIP_STEP: skipStep,
  RETRY_RUN: retryRun,
  UPDATE_PARAMS: live((state) => (isEnding(state) ? ENDING : bound(state))),
  INJECT_OVERRIDE: onStep((state, unit) =>
    unit.status === 'SUCCESS' || unit.status === 'SKIPPED'
      ? { refuse: 'STEP_TERMINAL', why: 'the step has ended' }
      : isEnding(state)
        ? ENDING
        : bound(state),
  ),
  UPDATE_TARGET: onStep((state, unit) =>
    unit.status === 'SUCCESS' || unit.status === 'SKIPPED'
      ? { refuse: 'STEP_TERMINAL', why: 'the step has ended' }
      : isEnding(state)
        ? ENDING
        : bound(state),
  ),
  ESCALATE_ALERT: () => undefined,
}
