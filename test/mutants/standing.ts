/** Faults planted in what a fork takes over, and in the place that a skipped step keeps: a step gets ahead of an ancestor. */
import type { Mutant } from './mutant.ts'

export const STANDING: readonly Mutant[] = [
  {
    name: 'a fork takes an approval over for another dispatch',
    file: 'core/run/fork/standing.ts',
    find: 'if (stood === undefined || !(mayRepeat || isOther(lost.get(stepId)))) continue',
    replace: 'continue',
    catcher: 'test/security/approvals.test.ts',
  },
  {
    name: 'an approval of one plan releases a step of another',
    file: 'core/run/fork/standing.ts',
    find: '!(mayRepeat || isOther(lost.get(stepId)))',
    replace: '!mayRepeat',
    catcher: 'test/security/fork-changes.test.ts',
  },
  {
    name: 'an approval of one input is taken over for another',
    file: 'app/taken/changed-steps.ts',
    find: "if ('manual' in step) for",
    replace: "if ('manual' in step && step.order < 0) for",
    catcher: 'test/security/fork-changes.test.ts',
  },
  {
    name: 'a fork keeps a step that its plan or its input changed',
    file: 'core/run/fork/standing.ts',
    find: "const change = 'seq' in judged ? old.changed.get(stepId) : undefined",
    replace: "const change = 'seq' in judged && old.upTo < 0 ? old.changed.get(stepId) : undefined",
    catcher: 'test/core/fork-changed.test.ts',
  },
  {
    name: 'a kept step is undone with what another input says',
    file: 'app/taken/changed-steps.ts',
    find: "'with', 'fallback', 'compensate'] as const",
    replace: "'with', 'fallback'] as const",
    catcher: 'test/security/fork-changes.test.ts',
  },
  {
    name: 'a fork keeps what follows an undone step',
    file: 'core/run/fork/standing.ts',
    find: "for (const dependent of graph.dependents[at] ?? []) lose(dependent, { kind: 'after', stepId })",
    replace: '',
  },
  {
    name: 'a fork keeps what was undone',
    file: 'core/run/fork/standing.ts',
    find: 'if (undoing !== undefined)',
    replace: 'if (undoing !== undefined && old.upTo < 0)',
  },
  {
    name: 'a fork does not ask what other forks undid',
    file: 'app/taken/family-effects.ts',
    find: '      appendAll(family, page.runs)',
    replace: '',
  },
  {
    name: 'a fork lets a step that was skipped by hand stand',
    file: 'core/run/fork/standing.ts',
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
