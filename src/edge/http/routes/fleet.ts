/** Operations on many runs. Whoever carries them on in this process is told of each new one. */
import * as app from '../../../app/fleet/manage-operations.ts'
import { previewOperation } from '../../../app/fleet/preview-operation.ts'
import type { Asking } from '../../../app/signals/authorized-sender.ts'
import * as api from '../../../core/api/fleet.ts'
import { wakeFleet } from '../../../library/clockwork/fleet.ts'
import { partsOf, servicesOf, storeOf } from '../../../library/services-of.ts'
import { bind, type Asked, type BoundRoute } from '../serve/bound-route.ts'
import { listFilter } from '../wire/list-filter.ts'
import { shownOperation, shownPreview } from '../wire/operation-view.ts'

const PAGE = 50
const REFUSED_SHOWN = 100

function asking({ caller, world }: Pick<Asked, 'caller' | 'world'>): Asking {
  return { caller, authorizer: world.authorizer }
}

export const FLEET: readonly BoundRoute[] = [
  bind(api.previewOperation, async (asked) => {
    const { signalType, payload = {}, filter } = asked.body
    const meant = listFilter(filter, asked.world.now())
    const preview = await previewOperation(partsOf(asked.keelson), asking(asked), { signalType, payload }, meant)
    return { body: shownPreview(preview) }
  }),
  bind(api.startOperation, async (asked) => {
    const { operationId, signalType, payload = {}, filter, previewSha256 } = asked.body
    const meant = listFilter(filter, asked.world.now())
    const request = { operationId, signal: { signalType, payload }, filter, meant, previewSha256 }
    const begun = await app.startOperation(servicesOf(asked.keelson), asking(asked), request)
    wakeFleet(asked.keelson)
    const body = shownOperation(begun)
    if (begun.existed) return { body, target: operationId }
    return { status: 202, headers: { location: `/v1/operations/${operationId}` }, body, target: operationId }
  }),
  bind(api.listOperations, async ({ caller, world, query }) => {
    const { limit = PAGE, cursor } = query
    const page = { limit, ...(cursor === undefined ? {} : { cursor }) }
    const { progress, next } = await app.listOperations(storeOf(world.keelson), caller.tenantId, page)
    return { body: { operations: progress.map(shownOperation), ...(next === undefined ? {} : { next }) } }
  }),
  bind(api.getOperation, async ({ caller, world, params }) => {
    const store = storeOf(world.keelson)
    const operation = await app.findOperation(store, caller.tenantId, params.operationId)
    const refused = await app.refusedRuns(store, operation, REFUSED_SHOWN)
    return {
      body: {
        operation: shownOperation(await app.progressOf(store, operation)),
        refusedRuns: refused.map(({ runId, code }) => ({ executionId: runId, code })),
      },
    }
  }),
  bind(api.abortOperation, async ({ caller, keelson, params, body }) => {
    const { operationId } = params
    return { body: shownOperation(await app.abortOperation(servicesOf(keelson), caller, operationId, body.reason)) }
  }),
]
