/** The record of a result nobody waits for any more: once, without a step event and without a change of status. */
import type { EventData, Payload } from '../../events/event.ts'
import { lateSlot } from '../../events/slot.ts'
import type { Outcome } from '../input.ts'
import { emit, type Workspace } from './workspace.ts'

interface LateReport {
  readonly slot: string
  readonly attempt: number
  readonly engineAttempt: number
  readonly outcome: Outcome
}

export function emitLate(ws: Workspace, report: LateReport, about: { readonly compensation?: true } = {}): void {
  const { outcome, attempt, engineAttempt } = report
  const payload: Payload<'LateOutcomeRecorded'> = {
    attempt,
    outcome: outcome.kind,
    receivedAt: ws.nowIso,
    audit: 'ORPHANED_TASK',
    ...about,
    ...(outcome.kind === 'failed' ? { error: outcome.error } : {}),
  }
  emit(ws, 'LateOutcomeRecorded', lateSlot(report.slot, attempt), engineAttempt, payload, {
    engineAttempt,
    data: dataOf(outcome),
  })
}

function dataOf({ kind, data }: Outcome): EventData | undefined {
  if (kind === 'failed') return data?.errorText === undefined ? undefined : { errorText: data.errorText }
  return data?.result === undefined ? undefined : { result: data.result }
}
