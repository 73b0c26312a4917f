/** Faults planted in giving a run up and undoing it (ADR 0011): nothing is skipped, nothing is undone twice, and only who asks gets it. */
import type { Mutant } from './mutant.ts'

export const UNDOING: readonly Mutant[] = [
  {
    name: 'a cancellation that asks for undoing undoes nothing',
    file: 'core/run/proceed/proceed.ts',
    find: 'if (isUndone && compensateNext(ws)) return',
    replace: '',
  },
  {
    name: 'a cancellation undoes though nobody asked',
    file: 'core/run/proceed/proceed.ts',
    find: 'const isUndone = cancelling.undo === true',
    replace: 'const isUndone = true',
  },
  {
    name: 'what ends while a run is given up is not undone',
    file: 'core/run/evolve/note-completion.ts',
    find: 'if (canBeUndone(next, done)) {',
    replace: 'if (canBeUndone(next, done) && next.cancelling === undefined) {',
  },
  {
    name: 'undoing skips what lies behind what was undone',
    file: 'core/run/evolve/compensation.ts',
    find: 'rest: following.next,',
    replace: 'rest: next.cancelling === undefined ? following.next : following.next?.next,',
  },
  {
    name: 'what was undone is undone a second time when a run is given up',
    file: 'core/run/evolve/compensation.ts',
    find: 'rest: following.next,',
    replace: 'rest: next.cancelling === undefined || before.slots.includes(slot) ? following.next : following,',
  },
  {
    name: 'a second cancellation makes of the first one that undoes',
    file: 'core/run/signals/rules.ts',
    find: "if (isEnding(state)) return 'nothing'\n  const isNew",
    replace: "if (isEnding(state) && signal.payload['undo'] !== true) return 'nothing'\n  const isNew",
  },
  {
    name: 'the work of a child that is stopped to be undone stays',
    file: 'core/run/evolve/note-completion.ts',
    find: 'next.cancelling === undefined ? next.failing : next.cancelling.undo === true',
    replace: 'next.cancelling === undefined && next.failing',
    catcher: 'test/core/cancel-undo-family.test.ts',
  },
  {
    name: 'an emergency stop lets undoing go on',
    file: 'core/run/evolve/run.ts',
    find: 'next.cancelling = cancellingOf(next.cancelling, payload, event)',
    replace: 'next.cancelling = { ...next.cancelling, ...cancellingOf(next.cancelling, payload, event) }',
    catcher: 'test/core/cancel-undo.test.ts',
  },
  {
    name: 'a run that was given up fails when an emergency stop cuts its undoing short',
    file: 'core/run/proceed/proceed.ts',
    find: '!isUndone && !isCut',
    replace: '!isUndone',
    catcher: 'test/core/cancel-undo.test.ts',
  },
]
