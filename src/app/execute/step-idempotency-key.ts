/**
 * The idempotency key a step hands to the outside (IDC-05): constant over retries, crashes and re-dispatches of an
 * unchanged input, because neither an attempt number nor a clock enters it. Only another input or a fresh key changes it.
 */
import { canonicalText } from '../log/canonical.ts'
import { sha256Hex } from '../log/sha256.ts'

export interface StepTokenParts {
  /** The plan's id. */
  readonly workflowId: string
  /** The slot's text, so that two items of a forEach with equal input have two keys. */
  readonly stepId: string
  /** The run's id. */
  readonly executionId: string
  readonly input: unknown
  /** Set by RETRY_STEP{freshKey}: asks the target system to do it once more on purpose. */
  readonly freshKey?: string
}

export interface StepToken {
  readonly token: string
  readonly inputHash: string
}

/** Throws SCHEMA_VALIDATION_FAILED for an input that is not JSON; `mapValue` never gives one. */
export function stepIdempotencyKey(parts: StepTokenParts): StepToken {
  const { workflowId, stepId, executionId, freshKey } = parts
  const inputHash = sha256Hex(canonicalText(parts.input))
  const named = { workflowId, stepId, executionId, inputHash, ...(freshKey === undefined ? {} : { freshKey }) }
  return { token: sha256Hex(JSON.stringify(named)), inputHash }
}
