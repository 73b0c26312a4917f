/**
 * The end of a step, by pointers and words alone (SEC-06): its status, the artifacts it named, and its error. The value
 * it returned is not included. One shape gives both the type and its schema.
 */
import { artifactRef } from '../../events/payloads.ts'
import { flag, list, object, oneOf, optional, text, type TypeOf } from '../../schema/shape.ts'
import type { ErrorView, StepSnapshot } from './run-snapshot.ts'

export const STEP_OUTPUT = object({
  status: oneOf('SUCCESS', 'FAILED', 'SKIPPED'),
  artifactRefs: list(artifactRef),
  error: optional(
    object({
      category: text({ min: 1 }),
      code: optional(text({ min: 1, max: 128 })),
      message: text(),
      retryable: optional(flag()),
    }),
  ),
})
export type StepOutput = TypeOf<typeof STEP_OUTPUT>

/** Undefined until the step has ended: a step that will be retried has not. */
export function stepOutputOf({ status, artifacts, error, retryAt }: StepSnapshot): StepOutput | undefined {
  if (status === 'PENDING' || status === 'RUNNING' || retryAt !== undefined) return undefined
  const told = status === 'FAILED' && error !== undefined ? { error: errorOf(error) } : {}
  return { status, artifactRefs: artifacts, ...told }
}

function errorOf({ category, errorClass, code, message, retryable }: ErrorView): NonNullable<StepOutput['error']> {
  return { category: category ?? errorClass ?? 'unknown', code, message, retryable }
}
