/** What a provider failed at, in our words: every such error keeps the provider, the operation and the run (ADP-06). */
import { KeelsonError, problem, type Problem } from '../core/problems/problem.ts'
import type { EngineType } from '../core/run/engines.ts'

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
  const [first, ...rest] = error.problems.map((one) => ({ ...one, details: { ...detailsOf(one), ...call } }))
  return new KeelsonError([first as Problem, ...rest], { cause: error })
}

/** The provider's own call stays known beside the operation it was made for. */
function detailsOf({ details = {} }: Problem): Readonly<Record<string, unknown>> {
  const { operation, ...rest } = details
  return operation === undefined ? rest : { ...rest, call: operation }
}
