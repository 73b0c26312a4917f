/** Faults planted in what a fork takes over, and in the place that a skipped step keeps: a step gets ahead of an ancestor. */
import type { Mutant } from './mutant.ts'

export const STANDING: readonly Mutant[] = [
  {
    name: 'a fork keeps what follows an undone step',
    file: 'core/run/standing.ts',
    find: '      open.push(dependent)',
    replace: '',
  },
  {
    name: 'a fork keeps what was undone',
    file: 'core/run/standing.ts',
    find: 'if (undoing !== undefined)',
    replace: 'if (undoing !== undefined && old.upTo < 0)',
  },
  {
    name: 'a fork does not ask what other forks undid',
    file: 'app/family-effects.ts',
    find: '      family.push(...page.runs)',
    replace: '',
  },
  {
    name: 'a fork lets a step that was skipped by hand stand',
    file: 'core/run/standing.ts',
    find: 'if (skip.byHand)',
    replace: 'if (skip.byHand && old.upTo < 0)',
    catcher: 'test/core/fork-ancestry.test.ts',
  },
  {
    name: 'a step that was skipped early lets its dependents go at once',
    file: 'core/run/evolve/steps.ts',
    find: 'if (early) next.early = bitAdd(next.early, unit.step)',
    replace: 'if (early && next.seq < 0) next.early = bitAdd(next.early, unit.step)',
  },
  {
    name: 'a step that was skipped early never comes to stand',
    file: 'core/run/evolve/next-state.ts',
    find: '      skipped.push(dependent)',
    replace: '',
  },
]
