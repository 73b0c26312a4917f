/**
 * Cancelling over HTTP. A cancelled run is cancelled again without effect; one that ended otherwise cannot be cancelled,
 * and the answer says how it ended.
 */
import * as api from '../../../core/api/acts.ts'
import { fail, KeelsonError } from '../../../core/problems/problem.ts'
import { isTerminalRun, type RunStatus } from '../../../core/run/state/transitions.ts'
import { executionWord } from '../../../core/view/fold/vocabulary.ts'
import { signalFor } from '../../../library/behalf/act-for.ts'
import type { RunHandle } from '../../../library/act/run-handle.ts'
import { pathOf } from '../wire/execution-view.ts'
import { bind, type Asked, type BoundRoute, type Reply } from '../serve/bound-route.ts'

type CancelAsked = Asked<typeof api.cancelExecution>

export const CANCEL: readonly BoundRoute[] = [
  bind(api.cancelExecution, async (asked) => {
    const run = await asked.keelson.run(asked.params.executionId)
    if (isTerminalRun(run.row.status)) return ended(run)
    let waiting: object = {}
    try {
      waiting = await cancelled(asked, run)
    } catch (thrown) {
      // It ended before the cancellation was taken.
      if (!(thrown instanceof KeelsonError) || thrown.code !== 'RUN_TERMINAL') throw thrown
    }
    const now = await asked.keelson.run(run.runId)
    return isTerminalRun(now.row.status)
      ? ended(now)
      : {
          status: 202,
          headers: { location: pathOf(now.runId), 'retry-after': '5' },
          body: { ...standing(now), ...waiting },
        }
  }),
]

/** What the answer adds where nothing is stopped before a second person has accepted it (AUT-04). */
async function cancelled({ keelson, caller, world, body }: CancelAsked, { row }: RunHandle): Promise<object> {
  const { reason, undo } = body
  const payload = { ...(reason === undefined ? {} : { reason }), ...(undo === true ? { undo } : {}) }
  const request = { signalId: world.uuid(), signalType: 'CANCEL', payload }
  const asking = { caller, authorizer: world.authorizer }
  const { kind, record } = await world.metrics.signalled('CANCEL', () =>
    signalFor(keelson, asking, row, request, 'RUN_CANCEL'),
  )
  if (kind !== 'approval') return {}
  return { approvalRequired: true, ...(record === undefined ? {} : { signalDecisionId: record.signalDecisionId }) }
}

function ended(run: RunHandle): Reply {
  const { runId, row } = run
  if (row.status === 'CANCELLED') return { headers: { location: pathOf(runId) }, body: standing(run) }
  return fail('RUN_TERMINAL', `run ${runId} is ${row.status} and cannot be cancelled`, {
    details: { executionId: runId, status: row.status satisfies RunStatus },
  })
}

function standing({ runId, row }: RunHandle): object {
  const { status, substatus } = row
  const state = executionWord({ status, ...(substatus === undefined ? {} : { substatus }) })
  return { executionId: runId, status, state }
}
