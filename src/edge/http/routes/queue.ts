/** Executions that were admitted and have not started, and the approval that some of them wait for. */
import * as api from '../../../core/api/acts.ts'
import { rejectFor } from '../../../library/behalf/act-for.ts'
import { WaitingPlaces } from '../../../app/admission/waiting-places.ts'
import { fail } from '../../../core/problems/problem.ts'
import { isoFromMs } from '../../../core/time.ts'
import { storeOf } from '../../../library/services-of.ts'
import { bind, type BoundRoute } from '../serve/bound-route.ts'
import { executionOfRow } from '../wire/execution-view.ts'

const PAGE = 50

export const QUEUE: readonly BoundRoute[] = [
  bind(api.listQueue, async ({ keelson, query }) => {
    const { limit = PAGE, cursor } = query
    const page = { limit, ...(cursor === undefined ? {} : { cursor }) }
    const { runs, next } = await keelson.list({ status: ['PENDING', 'APPROVED'] }, page)
    const places = new WaitingPlaces(storeOf(keelson))
    const executions: object[] = []
    for (const row of runs) {
      const waitsFor = (await places.of(row)).map(({ since, ...place }) => ({ ...place, since: isoFromMs(since) }))
      executions.push({ ...executionOfRow(row), ...(waitsFor.length === 0 ? {} : { waitsFor }) })
    }
    return { body: { executions, ...(next === undefined ? {} : { next }) } }
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
    const status = await rejectFor(keelson, asking, params.executionId, body.reason)
    return { body: { executionId: params.executionId, status } }
  }),
]
