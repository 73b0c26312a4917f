/** The few words beside a step that say more than its state: how many items, which attempt, until when, since when. */
import { msFromIso } from '../../../src/core/time.ts'
import type { StepSnapshot } from '../../../src/core/view/fold/run-snapshot.ts'
import { duration, timeOfDay } from '../shown/words.ts'

export function chipOf(step: StepSnapshot, asOf: number): string {
  const { items, attempts, retryAt, error, status } = step
  if (items !== undefined)
    return `${items.done} of ${items.total}${items.failed === 0 ? '' : `, ${items.failed} failed`}`
  if (retryAt !== undefined) return `again ${timeOfDay(msFromIso(retryAt) ?? 0, asOf)}`
  if (status === 'FAILED' && error !== undefined) return error.code
  const began = msFromIso(attempts[0]?.startedAt ?? '')
  if (began === undefined) return step.reasonCode ?? ''
  const ended = msFromIso(step.completedAt ?? '') ?? asOf
  const tries = attempts.length > 1 ? `${attempts.length} attempts, ` : ''
  return `${tries}${duration(ended - began)}`
}
