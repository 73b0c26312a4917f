/**
 * Compares a run with the runs it belongs to: a child is the run that its parent's log says it started, has the plan to which the
 * parent was pinned, and exists. Each log is verified by itself; here the two logs must agree (P-29).
 */
import type { LogRecord } from '../../core/events/event.ts'
import { pinnedHash } from '../../core/plan/compile/child-plans.ts'
import type { PlanGraph } from '../../core/plan/compile/graph.ts'
import type { RunState } from '../../core/run/state/state.ts'
import { locate, stepAt } from '../../core/run/state/units.ts'
import type { RunRow, RunStore } from '../../ports/run-store.ts'
import { childRunId } from '../log/derived-uuid.ts'
import { checkForked } from './check-forked.ts'
import { checkNames } from './check-names.ts'
import { altered, type EvidenceFinding } from './finding.ts'
import { recordedSlot } from '../rederive/recorded-decision.ts'
import { compensationOf } from '../loaded/compensation-run-id.ts'

interface Family {
  readonly store: Pick<RunStore, 'findRun' | 'findPlan' | 'getPlan' | 'getBlob' | 'readEvents'>
  readonly row: RunRow
  readonly records: readonly LogRecord[]
  readonly state: RunState
  readonly graph: PlanGraph
}

export async function checkFamily(family: Family): Promise<readonly EvidenceFinding[]> {
  return [
    ...(await ofParent(family)),
    ...(await ofChildren(family)),
    ...(await checkNames(family)),
    ...(await checkForked(family)),
  ]
}

/** The child's id is derived from the attempt that started it, so it has no other parent. */
async function ofParent({ store, row }: Family): Promise<readonly EvidenceFinding[]> {
  const { parent, runId, tenantId } = row
  if (parent === undefined) return []
  const undoes = compensationOf(row) !== undefined
  if (!undoes && childRunId(parent.runId, parent.slot, parent.attempt) !== runId)
    return [
      altered(`run ${runId} is not the child of attempt ${parent.attempt} of '${parent.slot}' of run ${parent.runId}`),
    ]
  const above = await store.findRun({ tenantId, runId: parent.runId })
  return above === undefined ? [missing(`run ${parent.runId}, whose child run ${runId} is, is not here`)] : []
}

async function ofChildren({ store, row, records, state, graph }: Family): Promise<readonly EvidenceFinding[]> {
  const findings: EvidenceFinding[] = []
  const { tenantId, runId } = row
  for (const record of records) {
    const slot = recordedSlot(record)
    const attempt = record.logicalAttemptId
    if (record.eventType !== 'StepStarted' || record.payload?.['reusedFrom'] !== undefined) continue
    const at = locate(state, slot)?.unit.step
    const step = at === undefined ? undefined : stepAt(graph, at)
    if (step === undefined || !('plan' in step)) continue
    const childId = childRunId(runId, slot, attempt)
    const child = await store.findRun({ tenantId, runId: childId })
    if (child === undefined) {
      const hasEnded = records.some(({ decision }) => decision?.cause === `child:${childId}`)
      if (hasEnded) findings.push(missing(`child run ${childId} of '${slot}' is not here`, record.runSeq))
      continue
    }
    const { parent, planSha256 } = child
    if (parent?.runId !== runId || parent.slot !== slot || parent.attempt !== attempt)
      findings.push(altered(`child run ${childId} of '${slot}' names another parent`, record.runSeq))
    const pinned = pinnedHash(step.plan, state.children ?? [])
    if (pinned !== undefined && pinned !== planSha256)
      findings.push(
        altered(
          `child run ${childId} of '${slot}' runs the plan ${planSha256}; its parent was pinned to ${pinned}`,
          record.runSeq,
        ),
      )
  }
  return findings
}

function missing(message: string, runSeq?: number): EvidenceFinding {
  return { code: 'RUN_MISSING', message, ...(runSeq === undefined ? {} : { runSeq }) }
}
