/** A plan as its page shows it: the chosen version, all versions, the last runs, and the engines that may run it. */
import type { Client, ExecutionState, PublishedPlan } from '../../../src/client/connect.ts'
import type { AnswerOf } from '../../../src/core/api/contract.ts'
import type { listEngines } from '../../../src/core/api/operations.ts'
import type { listPlanVersions } from '../../../src/core/api/plans.ts'
import type { Plan } from '../../../src/core/plan/plan.ts'
import { useAsked, type Asked } from '../server/use-asked.ts'

export type Version = AnswerOf<typeof listPlanVersions>['versions'][number]
export type Engine = AnswerOf<typeof listEngines>['engines'][number]

export interface ReadPlan extends PublishedPlan {
  readonly plan: Plan
  readonly versions: readonly Version[]
  readonly runs: readonly ExecutionState[]
  readonly engines: readonly Engine[]
}

const RUNS = 12

/** `version`: the newest where none is given. */
export function usePlan(planId: string, version: string | undefined): Asked<ReadPlan> {
  return useAsked(`${planId} ${version ?? ''}`, (client, signal) => readPlan(client, planId, version, signal))
}

async function readPlan(
  client: Client,
  planId: string,
  version: string | undefined,
  signal: AbortSignal,
): Promise<ReadPlan> {
  const params = { planId }
  const [found, { versions }, { executions }, { engines }] = await Promise.all([
    client.call('getPlan', { params, query: version === undefined ? {} : { version }, signal }),
    client.call('listPlanVersions', { params, signal }),
    client.call('listExecutions', { query: { planId, limit: RUNS }, signal }),
    client.call('listEngines', { signal }),
  ])
  return { ...found, plan: found.plan as unknown as Plan, versions, runs: executions, engines }
}
