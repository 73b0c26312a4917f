/** What a step says of its own failures. */
import type { Attempt, SlotModel } from './oracle-model.ts'
import type { Walk } from './oracle-walk.ts'

/** Of a step that says so every final failure, unless it was stopped or may have had its effect (X-107, P-28). */
export function checkHandled({ must }: Walk, { step, item }: SlotModel, attempt: Attempt): void {
  const isItsEnd = attempt.final === true && attempt.fallback !== true && item === undefined
  const isFailure = attempt.code !== 'INDETERMINATE' && attempt.errorClass !== 'cancelled'
  const handled = step.onFailure === 'continue' && isItsEnd && isFailure
  must(attempt.handled === handled, `X-107 handled is ${String(attempt.handled)} after ${attempt.code}`)
}
