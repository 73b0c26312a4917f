/** What went wrong with Temporal, as a problem of ours. */
import { KeelsonError, problem, type Problem } from '../../../../core/problems/problem.ts'

export function problemOf(error: unknown): Problem {
  const [first] = error instanceof KeelsonError ? error.problems : []
  const message = error instanceof Error ? error.message : String(error)
  return first ?? problem('ADAPTER_PROVIDER_ERROR', message)
}
