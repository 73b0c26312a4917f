/**
 * A report as a letter to its run (P-12): who lost the compare-and-set once leaves the outcome in the inbox, and whoever
 * wins takes it. So many executors of one run do not starve each other.
 */
import { compensationSlot } from '../core/events/slot.ts'
import { fail, KeelsonError, problem } from '../core/problems/problem.ts'
import { effectId } from '../core/run/effect.ts'
import type { EffectReport } from '../ports/engine.ts'
import type { InboxInsert, RunKey, RunRow, RunStore } from '../ports/run-store.ts'
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

/** For executors that never decide themselves, such as long steps of an outside engine. */
export async function leaveReport(
  { store }: { readonly store: Pick<RunStore, 'getRun' | 'insertInbox'> },
  runKey: RunKey,
  report: EffectReport,
): Promise<RunRow> {
  const row = await store.getRun(runKey)
  if (row === undefined) return fail('RUN_NOT_FOUND', `no run has the key ${runKey}`)
  const letter = reportLetter(report) ?? reportLetter(noJson(report))
  if (letter !== undefined) await store.insertInbox(row, letter)
  return row
}

function noJson(report: EffectReport): EffectReport {
  const thrown = new KeelsonError([problem('OUTPUT_INVALID', 'the output cannot be recorded: it is not JSON')])
  return { ...report, result: { kind: 'failed', thrown, durationMs: report.result.durationMs } }
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
