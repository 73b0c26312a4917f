/** What a fork begins with: the old run, its plan, its input, and the versions of its plan. */
import type { Client, ExecutionState } from '../../../src/client/connect.ts'
import type { LogRecord } from '../../../src/core/events/event.ts'
import type { Plan } from '../../../src/core/plan/plan.ts'
import { KeelsonError } from '../../../src/core/problems/problem.ts'
import { inputOf, type Recorded } from '../history/recorded.ts'

export interface OldRun {
  readonly execution: ExecutionState
  readonly plan: Plan
  readonly input: Recorded
  /** Published ones, newest first. */
  readonly versions: readonly { readonly planVersion: string; readonly sha256: string }[]
}

export async function loadOldRun(client: Client, executionId: string, signal: AbortSignal): Promise<OldRun> {
  const params = { executionId }
  const execution = await client.call('getExecution', { params, query: { with: ['row'] }, signal })
  const { planId, planSha256: sha256 } = execution
  const [{ plan }, { events }, versions] = await Promise.all([
    client.call('getPlanByHash', { params: { sha256 }, signal }),
    client.call('listEvents', { params, query: { limit: 1 }, signal }),
    versionsOf(client, planId, signal),
  ])
  const input = inputOf(events as unknown as readonly LogRecord[])
  return { execution, plan: plan as unknown as Plan, input, versions }
}

/** A plan that was given in the request itself is not published. */
async function versionsOf(client: Client, planId: string, signal: AbortSignal): Promise<OldRun['versions']> {
  try {
    return (await client.call('listPlanVersions', { params: { planId }, signal })).versions
  } catch (thrown) {
    if (thrown instanceof KeelsonError && thrown.code === 'PLAN_NOT_FOUND') return []
    throw thrown
  }
}
