/**
 * A report as a letter to its run (P-12): who lost the compare-and-set once leaves the outcome in the inbox, and whoever
 * wins takes it. So many executors of one run do not starve each other.
 */
import { compensationSlot } from '../core/events/slot.ts'
import { effectId } from '../core/run/effect.ts'
import type { EffectReport } from '../ports/engine.ts'
import type { InboxInsert } from '../ports/run-store.ts'
import { canonicalText } from './canonical.ts'
import { describeError } from './describe-error.ts'

/** Undefined for an output that is no JSON: then the report must be handed in by hand, to be refused by its rule. */
export function reportLetter(report: EffectReport): InboxInsert | undefined {
  const { slot, attempt, engineAttempt } = report
  const kind = slot.startsWith(compensationSlot('')) ? 'Compensate' : 'ExecuteStep'
  const body = bodyOf(report)
  if (body === undefined) return undefined
  return { inboxId: `outcome:${effectId(kind, slot, attempt, engineAttempt)}`, kind: 'outcome', body }
}

function bodyOf(report: EffectReport): string | undefined {
  const { result } = report
  if (result.kind === 'completed') return jsonOf({ ...report, result: { ...result, output: result.output ?? null } })
  // What was thrown may be anything; its description is what the log will say of it.
  const { thrown, ...rest } = result
  return jsonOf({
    ...report,
    result: { ...rest, thrown: null, described: result.described ?? describeError(thrown, result.aborted) },
  })
}

function jsonOf(value: unknown): string | undefined {
  try {
    return canonicalText(value)
  } catch {
    return undefined
  }
}
