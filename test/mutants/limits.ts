/** Faults planted where what comes from outside is measured and cut. */
import type { Mutant } from './mutant.ts'

const NAMES = 'test/security/limits-names.test.ts'

export const LIMITS_FAULTS: readonly Mutant[] = [
  {
    name: 'the reason of a refusal is cut inside a character',
    file: 'core/run/decide/signal.ts',
    find: 'reason: cutText(reason, LIMITS.refusalChars)',
    replace: 'reason: reason.slice(0, LIMITS.refusalChars)',
    catcher: NAMES,
  },
  {
    name: 'evidence is counted and not measured',
    file: 'app/inbox/task-completion.ts',
    find: 'evidenceRefs !== undefined && jsonBytes(evidenceRefs, evidenceBytes) === undefined',
    replace: 'evidenceRefs !== undefined && jsonBytes(evidenceRefs, Infinity) === undefined',
    catcher: NAMES,
  },
  {
    name: 'half a character passes for a name',
    file: 'app/log/fitting.ts',
    find: "text.includes('\\0') || !text.isWellFormed()",
    replace: "text.includes('\\0')",
    catcher: NAMES,
  },
  {
    name: 'notes are measured as if no character were escaped',
    file: 'app/log/check-draft.ts',
    find: 'JSON_PER_CHAR * LIMITS.notesChars',
    replace: '4 * LIMITS.notesChars',
    catcher: NAMES,
  },
  {
    name: 'what a lock allows is not measured',
    file: 'app/plans/run-lock.ts',
    find: "mustFitJson('what the lock allows', lock, LIMITS.lockBytes)",
    replace: "mustFitJson('what the lock allows', {}, LIMITS.lockBytes)",
    catcher: NAMES,
  },
]
