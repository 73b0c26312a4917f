/**
 * A report as an inbox row of its run (P-12): an executor that lost the compare-and-set once leaves the outcome in the
 * inbox, and the winner takes it. So many executors of one run do not starve each other.
 */
import { compensationSlot } from '../../core/events/slot.ts'
import { fail, KeelsonError, problem } from '../../core/problems/problem.ts'
import { effectId } from '../../core/run/effect.ts'
import type { EffectOutcome } from '../../ports/engine.ts'
import type { InboxInsert, RunKey, RunRow, RunStore } from '../../ports/run-store.ts'
import { canonicalText } from '../log/canonical.ts'
import { describeError } from '../redact/describe-error.ts'

/** Undefined for an output that is not JSON: then the report must be submitted directly, to be refused by its rule. */
export function reportInboxRow(report: EffectOutcome): InboxInsert | undefined {
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
  report: EffectOutcome,
): Promise<RunRow> {
  const row = await store.getRun(runKey)
  if (row === undefined) return fail('RUN_NOT_FOUND', `no run has the key ${runKey}`)
  const inboxRow = reportInboxRow(report) ?? reportInboxRow(noJson(report))
  if (inboxRow !== undefined) await store.insertInbox(row, inboxRow)
  return row
}

function noJson(report: EffectOutcome): EffectOutcome {
  const thrown = new KeelsonError([problem('OUTPUT_INVALID', 'the output cannot be recorded: it is not JSON')])
  return { ...report, result: { kind: 'failed', thrown, durationMs: report.result.durationMs } }
}

function bodyOf(report: EffectOutcome): string | undefined {
  const { result } = report
  if (result.kind === 'completed') return jsonOf({ ...report, result: { ...result, output: result.output ?? null } })
  // The thrown value may be anything; only its description goes into the log.
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
