/** Faults planted in the fold and in its snapshot: what an event changes, and what it must not. */
import type { Mutant } from './mutant.ts'

export const EVOLVE: readonly Mutant[] = [
  {
    name: 'an attempt that succeeded may start again',
    file: 'core/run/transitions.ts',
    find: 'SUCCESS: {},',
    replace: "SUCCESS: { StepStarted: 'RUNNING' },",
    catcher: { kind: 'test', file: 'test/core/state-machine.test.ts' },
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
  },
  {
    name: 'a fan-out ends while items are ready',
    file: 'core/run/evolve/fan-out.ts',
    find: ' && fan.ready.size === 0\n',
    replace: '\n',
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
