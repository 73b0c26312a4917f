/** What changed between two versions, both plans, and the runs in flight of the older one with the state of each of their steps. */
import type { Client, ExecutionState, Snapshot } from '../../../src/client/connect.ts'
import type { Plan } from '../../../src/core/plan/plan.ts'
import type { PlanDiff } from '../../../src/core/plan/write/diff-plans.ts'
import { useAsked, type Asked } from '../server/use-asked.ts'

/** A run that goes on with the older version; without its steps where it is one of too many. */
export interface TouchedRun {
  readonly run: ExecutionState
  readonly steps: Snapshot['steps'] | undefined
}

export interface ReadDiff {
  readonly before: Plan
  readonly after: Plan
  readonly changes: PlanDiff
  readonly touched: readonly TouchedRun[]
}

/** Each is a question of its own. */
const RUNS_READ = 20

export function useDiff(planId: string, from: string, to: string): Asked<ReadDiff> {
  return useAsked(`${planId} ${from} ${to}`, (client, signal) => readDiff(client, { planId, from, to }, signal))
}

interface Named {
  readonly planId: string
  readonly from: string
  readonly to: string
}

async function readDiff(client: Client, { planId, from, to }: Named, signal: AbortSignal): Promise<ReadDiff> {
  const params = { planId }
  const planOf = async (version: string): Promise<Plan> =>
    (await client.call('getPlan', { params, query: { version }, signal })).plan as unknown as Plan
  const [before, after, { changes, executions }] = await Promise.all([
    planOf(from),
    planOf(to),
    client.call('diffPlanVersions', { params, query: { from, to }, signal }),
  ])
  const runs = (executions as unknown as readonly ExecutionState[]).filter(({ planVersion }) => planVersion === from)
  const touched = await Promise.all(
    runs.map(async (run, at) => ({ run, steps: at < RUNS_READ ? await stepsOf(client, run, signal) : undefined })),
  )
  return { before, after, changes: changes as unknown as PlanDiff, touched }
}

async function stepsOf(
  client: Client,
  { executionId }: ExecutionState,
  signal: AbortSignal,
): Promise<Snapshot['steps']> {
  return (await client.call('getSnapshot', { params: { executionId }, signal })).snapshot.steps
}
