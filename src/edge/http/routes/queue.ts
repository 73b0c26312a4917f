/** Executions that were admitted and have not started, and the approval that some of them wait for. */
import * as api from '../../../core/api/acts.ts'
import { rejectFor } from '../../../library/behalf/act-for.ts'
import { queueFor, type QueuedRun } from '../../../library/behalf/queue-for.ts'
import { fail } from '../../../core/problems/problem.ts'
import { isoFromMs } from '../../../core/time.ts'
import { bind, type BoundRoute } from '../serve/bound-route.ts'
import { executionOfRow } from '../wire/execution-view.ts'

const PAGE = 50

export const QUEUE: readonly BoundRoute[] = [
  bind(api.listQueue, async ({ keelson, caller, query }) => {
    const { limit = PAGE, cursor, order } = query
    const page = { limit, oldestFirst: order === 'oldest', ...(cursor === undefined ? {} : { cursor }) }
    const { runs, next } = await queueFor(keelson, caller, page)
    return { body: { executions: runs.map(shownQueued), ...(next === undefined ? {} : { next }) } }
  }),
  bind(api.approveExecution, async ({ keelson, caller, params }) => {
    const { runId, status } = await keelson.queue.approve(params.executionId, { actorId: caller.actorId })
    return { body: { executionId: runId, status } }
  }),
  bind(api.startQueued, async ({ keelson, params: { executionId } }) => {
    const run = await keelson.run(executionId)
    const [answer] = await keelson.queue.start({ runIds: [executionId] })
    const { status } = (await keelson.run(executionId)).row
    if (answer === undefined) return fail('RUN_NOT_QUEUED', `run ${executionId} is ${run.row.status} and not queued`)
    const { status: outcome, error: reason } = answer
    return { body: { executionId, outcome, status, ...(reason === undefined ? {} : { reason }) } }
  }),
  bind(api.rejectExecution, async ({ keelson, caller, world, params, body }) => {
    const asking = { caller, authorizer: world.authorizer }
    const { status } = await world.metrics.signalled('CANCEL', async () => {
      return { kind: 'sent', status: await rejectFor(keelson, asking, params.executionId, body.reason) }
    })
    return { body: { executionId: params.executionId, status } }
  }),
]

function shownQueued({ row, waitsFor, mayNot, cannotStart }: QueuedRun): object {
  const places = waitsFor.map(({ since, ...place }) => ({ ...place, since: isoFromMs(since) }))
  return {
    ...executionOfRow(row),
    ...(places.length === 0 ? {} : { waitsFor: places }),
    ...(mayNot === undefined ? {} : { mayNot }),
    ...(cannotStart === undefined ? {} : { cannotStart: { code: cannotStart.code, why: cannotStart.message } }),
  }
}
