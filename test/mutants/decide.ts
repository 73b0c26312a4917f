/** Faults planted in the decisions: what is started, retried, ended, refused, undone. */
import type { Mutant } from './mutant.ts'

export const DECIDE: readonly Mutant[] = [
  {
    name: 'a fallback never runs',
    file: 'core/run/decide/fail-step.ts',
    find: "mayFallBack ? { kind: 'fallback' } : ",
    replace: '',
  },
  {
    name: 'an indeterminate step is retried',
    file: 'core/run/decide/fail-step.ts',
    find: "details.error.code === 'INDETERMINATE' || ",
    replace: '',
  },
  {
    name: 'a step is skipped though its condition is true',
    file: 'core/run/decide/schedule.ts',
    find: 'if (facts?.condition === false) {',
    replace: 'if (facts?.condition !== undefined) {',
  },
  {
    name: 'a fan-out is expanded twice',
    file: 'core/run/decide/schedule.ts',
    find: 'step.forEach !== undefined && unit.fan === undefined',
    replace: 'step.forEach !== undefined',
  },
  {
    name: 'a fan-out completes though an item failed',
    file: 'core/run/decide/proceed.ts',
    find: 'parent.fan.done === parent.fan.count',
    replace: 'parent.fan.done <= parent.fan.count',
  },
  {
    name: 'undoing begins while work is in flight',
    file: 'core/run/decide/proceed.ts',
    find: 'if (ws.state.inFlight.size > 0) return',
    replace: '',
  },
  {
    name: 'a cancelled run waits for a stubborn step for ever',
    file: 'core/run/decide/proceed.ts',
    find: 'if (ws.now >= cancelling.graceUntil && !endInFlight(ws)) return',
    replace: '',
  },
  {
    name: 'a run with failed steps completes',
    file: 'core/run/decide/proceed.ts',
    find: 'if (ws.state.satisfied === ws.state.graph.steps.length) complete(ws)',
    replace: 'if (ws.state.satisfied <= ws.state.graph.steps.length) complete(ws)',
  },
  {
    name: 'dependents are skipped under failFast',
    file: 'core/run/decide/finish.ts',
    find: "if (graph.plan.policy.onFailure === 'failFast') return true",
    replace: '',
  },
  {
    name: 'a late outcome is recorded twice',
    file: 'core/run/decide/outcome.ts',
    find: ' || unit.late.includes(`${report.attempt}:${report.engineAttempt}`)',
    replace: '',
  },
  {
    name: 'a running step is skipped',
    file: 'core/run/decide/signal.ts',
    find: "if (isBusy(unit)) return { refuse: 'STEP_RUNNING', why: 'the step is running' }",
    replace: '',
  },
  {
    name: 'a pause is accepted and not carried out',
    file: 'core/run/decide/signal.ts',
    find: 'if (verdict === undefined) APPLY[signal.signalType]?.(ws, signal)',
    replace: '',
  },
  {
    name: 'what was not authorised is done',
    file: 'core/run/decide/signal.ts',
    find: 'if (!authorization.allowed) {',
    replace: "if (authorization.policyDecisionId === '') {",
  },
  {
    name: 'an adopter does not ask whether an irreversible step began',
    file: 'core/run/decide/adopt.ts',
    find: "stepAt(ws.state.graph, unit.step).effect !== 'irreversible'",
    replace: "stepAt(ws.state.graph, unit.step).effect === 'irreversible'",
  },
  {
    name: 'an expired wait is never looked at',
    file: 'core/run/timers.ts',
    find: 'if (state.waits !== undefined) yield',
    replace: 'if (state.waits !== undefined && state.seq < 0) yield',
  },
]
