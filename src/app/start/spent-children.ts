/**
 * A child run of an approved step that is to be started again: when an earlier one dispatched what cannot be undone, the approval
 * was used, and another child would use it a second time (MAN-13).
 */
import { fail } from '../../core/problems/problem.ts'
import { approvalsOf } from '../../core/run/people/approvals.ts'
import type { Effect } from '../../core/run/effect.ts'
import { locate, stepAt } from '../../core/run/state/units.ts'
import type { RunRow } from '../../ports/run-store.ts'
import type { RunAdvancer } from '../advance/advance-run.ts'
import { childRunId } from '../log/derived-uuid.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import { recordOf } from '../log/read-events.ts'
import type { Services } from '../services.ts'
import { storedEvents } from '../log/stored-events.ts'
import { planStepOf } from '../../core/events/slot-of.ts'

type StartChild = Extract<Effect, { kind: 'StartChild' }>

export async function needUnspent(
  services: Services,
  advancer: RunAdvancer,
  { identity: { tenantId, runId }, state }: LoadedRun,
  { slot, attempt }: StartChild,
): Promise<void> {
  const step = locate(state, slot)?.unit.step
  const [approval] = attempt < 2 || step === undefined ? [] : approvalsOf(state, step)
  if (approval === undefined) return
  for (let before = 1; before < attempt; before += 1) {
    const row = await services.store.findRun({ tenantId, runId: childRunId(runId, slot, before) })
    if (row !== undefined && (await hasDispatched(services, advancer, row)))
      fail(
        'APPROVAL_SPENT',
        `the approval '${approval.stepId}' was given for '${slot}', and child run ${row.runId} has used it`,
      )
  }
}

/**
 * Did the run, or a run it started, send out a step that cannot be undone? What an archived run did is not known: it may have
 * done so.
 */
async function hasDispatched(services: Services, advancer: RunAdvancer, row: RunRow): Promise<boolean> {
  if (row.archivedAt !== undefined) return true
  const { graph } = await advancer.plans.get(row.tenantId, row.planSha256)
  for await (const stored of storedEvents(services.store, row.runKey)) {
    const record = stored.eventType === 'StepStarted' ? recordOf(stored) : undefined
    const slot = record?.ok === true ? record.value.stepId : undefined
    if (record?.ok !== true || slot === undefined) continue
    const index = graph.indexOf.get(planStepOf(record.value) ?? '')
    if (index === undefined) continue
    if (stepAt(graph, index).effect === 'irreversible') return true
    if (graph.kinds[index] !== 'plan') continue
    const { tenantId, runId } = row
    const child = await services.store.findRun({
      tenantId,
      runId: childRunId(runId, slot, record.value.logicalAttemptId),
    })
    if (child !== undefined && (await hasDispatched(services, advancer, child))) return true
  }
  return false
}
