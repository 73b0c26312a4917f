/** Faults planted in the fold, its snapshot and the row that sums it up: what an event changes, and what it must not. */
import type { Mutant } from './mutant.ts'

export const EVOLVE: readonly Mutant[] = [
  {
    name: 'a slot is never freed',
    file: 'core/run/evolve/next-state.ts',
    find: 'next.slotsInUse -= 1',
    replace: '',
  },
  {
    name: 'a step with one dependency is never released',
    file: 'core/run/evolve/next-state.ts',
    find: 'if (waitsForMore(next, dependent)) continue',
    replace: 'if (!waitsForMore(next, dependent)) continue',
  },
  {
    name: 'one dependency is enough',
    file: 'core/run/evolve/next-state.ts',
    find: 'return open > 0',
    replace: 'return false',
  },
  {
    name: 'undone in the order of completion',
    file: 'core/run/evolve/note-undo.ts',
    find: 'next.completions = {',
    replace: 'if (next.completions === undefined) next.completions = {',
  },
  {
    name: 'a fan-out forgets its failed item',
    file: 'core/run/evolve/fan-out.ts',
    find: ': bitAdd(fan.failed, item)',
    replace: ': fan.failed',
  },
  {
    name: 'new items start after one has failed',
    file: 'core/run/evolve/fan-out.ts',
    find: "next.graph.plan.policy.onFailure !== 'continue') holdBack",
    replace: "next.graph.plan.policy.onFailure === 'continue') holdBack",
  },
  {
    name: 'a fallback does not recover its step',
    file: 'core/run/evolve/steps.ts',
    find: 'recovered: true',
    replace: 'recovered: false',
    catcher: 'test/core/fallback.test.ts',
  },
  {
    name: 'a snapshot loses backoffs',
    file: 'core/run/state-snapshot.ts',
    find: 'if (unit.backoff)',
    replace: 'if (unit.backoff && unit.attempt > 9)',
  },
  {
    name: 'the row does not say when to wake',
    file: 'core/run/summary.ts',
    find: 'earliest(due === undefined ? due : due - lead, waiting?.retryAt)',
    replace: 'earliest(undefined, waiting?.retryAt)',
  },
  {
    name: 'the row does not say that work is owed',
    file: 'core/run/summary.ts',
    find: 'state.inFlight.size > 0 ||',
    replace: '',
  },
  {
    name: 'an attempt that succeeded may start again',
    file: 'core/run/transitions.ts',
    find: 'SUCCESS: {},',
    replace: "SUCCESS: { StepStarted: 'RUNNING' },",
    catcher: 'test/core/state-machine.test.ts',
  },
  {
    name: 'a skipped step does not release its dependents',
    file: 'core/run/evolve/steps.ts',
    find: 'settle(next, unit.step)',
    replace: 'next.satisfied += 1',
  },
  {
    name: 'a backoff is not counted',
    file: 'core/run/evolve/steps.ts',
    find: 'next.backoffs += 1',
    replace: '',
  },
  {
    name: 'a retry sees a later context',
    file: 'core/run/evolve/steps.ts',
    find: 'unit.inputSeq === 0 ? event.runSeq : unit.inputSeq',
    replace: 'event.runSeq',
    // It takes a capture between two attempts of one step, which few histories have.
    catcher: 'test/core/data-flow-stability.test.ts',
  },
  {
    name: 'failFast does not stop scheduling',
    file: 'core/run/evolve/steps.ts',
    find: 'next.failing = failFast || next.timedOutAt >= 0',
    replace: 'next.failing = next.timedOutAt >= 0',
  },
  {
    name: 'an indeterminate failure ends the run',
    file: 'core/run/evolve/steps.ts',
    find: "if (code === 'INDETERMINATE') next.indeterminate += 1",
    replace: '',
  },
  {
    name: 'a fan-out ends while items are in backoff',
    file: 'core/run/evolve/fan-out.ts',
    find: 'fan.waiting === 0 && ',
    replace: '',
    catcher: 'test/core/graph-fan-out.test.ts',
  },
  {
    name: 'a fan-out ends while items are ready',
    file: 'core/run/evolve/fan-out.ts',
    find: 'fan.running === 0 && fan.waiting === 0 && fan.ready.size === 0',
    replace: 'fan.running === 0 && fan.waiting === 0',
    catcher: 'test/core/graph-fan-out.test.ts',
  },
  {
    name: 'a run never times out',
    file: 'core/run/evolve/run.ts',
    find: 'instantOr(payload.runTimeoutAt, -1)',
    replace: '-1',
  },
  {
    name: 'paused time counts as waited',
    file: 'core/run/evolve/run.ts',
    find: 'next.pausedMs += Math.max(0, event.at - next.pausedAt)',
    replace: '',
  },
  {
    name: 'a failed hook stops the rest',
    file: 'core/run/evolve/undo.ts',
    find: 'current: undefined, failed: undo.failed + 1',
    replace: 'current: undefined, rest: undefined, failed: undo.failed + 1',
  },
  {
    name: 'the same step is undone again',
    file: 'core/run/evolve/undo.ts',
    find: 'rest: hook.next',
    replace: 'rest: hook',
  },
  {
    name: 'the engine attempt ignores adoptions',
    file: 'core/run/effect.ts',
    find: '1 + (epoch - startedEpoch) + (platformAttempt - 1)',
    replace: 'platformAttempt',
  },
]
