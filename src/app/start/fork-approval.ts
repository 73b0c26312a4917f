/** Which approvals a fork needs before it may start, and the refusals when it cannot get them. */
import type { PlanGraph } from '../../core/plan/compile/graph.ts'
import { fail } from '../../core/problems/problem.ts'
import { isOutside } from '../../core/engine/engine-type.ts'
import { approvedBefore, forkApproval, unaskedStep, type ForkApproval } from '../../core/run/fork/approval.ts'
import type { Standing } from '../../core/run/fork/standing.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import type { OtherRun } from './other-run.ts'
import type { StartRequest } from './start-request.ts'

export interface ForkToApprove {
  readonly old: LoadedRun
  readonly plan: StartRequest['plan']
  readonly standing: Standing
  readonly graph: PlanGraph
  readonly isUnapproved: boolean
  readonly other: Pick<OtherRun, 'inputChanges'>
}

export function approvalOfFork({ old, plan, standing, graph, isUnapproved, other }: ForkToApprove): ForkApproval {
  const isSame = plan.sha256 === old.plan.sha256 && other.inputChanges === undefined
  return forkApproval({ state: old.state, isUnapproved, isSame, standing, graph })
}

/** How the fork is admitted: at once, or as the old run was, to wait for a person in the queue. */
export function forkAdmission(
  fork: ForkToApprove,
  { engine, lease }: Pick<StartRequest, 'engine' | 'lease'>,
): Pick<StartRequest, 'admission' | 'approved' | 'lease'> {
  const { state, identity } = fork.old
  const approval = approvalOfFork(fork)
  const approved = approvedBefore(state, identity.runId)
  if (approval === 'none')
    return { ...(approved === undefined ? {} : { approved }), ...(lease === undefined ? {} : { lease }) }
  const why =
    approved?.inQueue === undefined
      ? `run ${identity.runId} waited for a person's approval and did not get it`
      : `${approved.inQueue.approvedBy} approved run ${approved.inQueue.runId}, and no fork of it`
  if (approval === 'refused') fail('FORK_NEEDS_APPROVAL', `${why}; a fork with results of it cannot wait in the queue`)
  if (isOutside(engine.engineType))
    fail('FORK_NEEDS_APPROVAL', `${why}; runs of ${engine.engineType} do not wait in the queue`)
  // Nobody drives a queued run.
  return { admission: { policy: 'QUEUE', autoApprove: false } }
}

/**
 * The approval in the run above was for one dispatch in this run, and a fork of this run has no run above that could ask again.
 * If the fork would do such a step without a manual step of its own, the run above must be forked instead (MAN-13).
 */
export function refuseUnapproved({ old, standing, graph }: ForkToApprove): void {
  const [given] = old.state.approved?.approvals ?? []
  const unasked = given === undefined ? undefined : unaskedStep(graph, standing)
  if (given === undefined || unasked === undefined) return
  const { stepId, runId = '' } = given
  fail(
    'APPROVAL_SPENT',
    `the approval '${stepId}' of run ${runId} was given for run ${old.identity.runId}, and '${unasked}' would be done again: fork run ${runId} from '${stepId}'`,
    { details: { runId, stepId: unasked } },
  )
}
