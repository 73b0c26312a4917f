/** A provider's failure in our terms: every such error keeps the provider, the operation and the run (ADP-06). */
import { KeelsonError, problem, type Problem } from '../../core/problems/problem.ts'
import type { EngineType } from '../../core/engine/engine-type.ts'

export interface ProviderCall {
  readonly provider: EngineType
  readonly operation: string
  readonly runId?: string
}

export function providerFailure(call: ProviderCall, error: unknown): KeelsonError {
  if (!(error instanceof KeelsonError)) {
    const why = error instanceof Error ? error.message : String(error)
    const message = `${call.provider}: ${call.operation} of run ${call.runId ?? '-'} failed: ${why}`
    return new KeelsonError([problem('ADAPTER_PROVIDER_ERROR', message, { details: { ...call } })], { cause: error })
  }
  const known = (one: Problem): Problem => ({ ...one, details: { ...detailsOf(one), ...call } })
  const [first, ...others] = error.problems
  return new KeelsonError([known(first), ...others.map(known)], { cause: error })
}

/** The provider's own call is kept beside the operation that caused it. */
function detailsOf({ details = {} }: Problem): Readonly<Record<string, unknown>> {
  const { operation, ...rest } = details
  return operation === undefined ? rest : { ...rest, call: operation }
}
