/**
 * When a run was admitted, the plans of its children had been published, and publications are only ever added: a missing
 * publication was removed by somebody. A plan that starts itself, or that a run above started, need not have been published.
 */
import { planName } from '../../core/plan/compile/child-plans.ts'
import type { Plan } from '../../core/plan/plan.ts'
import type { RunState } from '../../core/run/state/state.ts'
import type { RunRow, RunStore } from '../../ports/run-store.ts'
import { altered, type EvidenceFinding } from './finding.ts'

interface NamedPlans {
  readonly store: Pick<RunStore, 'findRun' | 'findPlan' | 'getPlan'>
  readonly row: RunRow
  readonly state: RunState
}

export async function checkNames({ store, row, state }: NamedPlans): Promise<readonly EvidenceFinding[]> {
  const { tenantId } = row
  const findings: EvidenceFinding[] = []
  for (const child of state.children ?? []) {
    const { planId, sha256 } = child
    const text = await store.getPlan(tenantId, sha256)
    // A plan that is gone or altered is reported with the plans of the store.
    const planVersion = child.planVersion ?? (text === undefined ? undefined : versionIn(text))
    if ((await store.findPlan(tenantId, planId, planVersion)) !== undefined) continue
    if ((await plansAbove(store, row)).has(sha256)) continue
    const published = planVersion === undefined ? planId : `${planId} ${planVersion}`
    findings.push(
      altered(
        `the run was admitted with ${planName(child)}, which led to ${sha256}: nothing is published as ${published} now`,
      ),
    )
  }
  return findings
}

function versionIn(text: string): string | undefined {
  try {
    return (JSON.parse(text) as Partial<Plan>).metadata?.planVersion
  } catch {
    return undefined
  }
}

/** Of the run itself, of the runs it was started by, and of the one it was forked from with all of theirs. */
async function plansAbove(store: Pick<RunStore, 'findRun'>, row: RunRow): Promise<ReadonlySet<string>> {
  const plans = new Set<string>()
  const seen = new Set<string>()
  const open: RunRow[] = [row]
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    plans.add(one.planSha256)
    for (const runId of [one.parent?.runId, one.originalRunId]) {
      if (runId === undefined || seen.has(runId)) continue
      seen.add(runId)
      const above = await store.findRun({ tenantId: row.tenantId, runId })
      if (above !== undefined) open.push(above)
    }
  }
  return plans
}
