/** A run whose log cannot be read: nobody can complete its tasks, and those of others are shown all the same. */
import type { OpenTask } from '../../app/steer/manual-tasks.ts'
import { KeelsonError } from '../../core/problems/problem.ts'

export function noneOfDamaged(thrown: unknown): readonly OpenTask[] {
  if (thrown instanceof KeelsonError && thrown.code === 'RUN_QUARANTINED') return []
  throw thrown
}
