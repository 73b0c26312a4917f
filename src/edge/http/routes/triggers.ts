/** Triggers of the caller's tenant, and deliveries to their addresses, which have no caller. */
import { randomBytes } from 'node:crypto'
import * as app from '../../../app/triggers/manage-triggers.ts'
import { LOCAL_PRINCIPAL } from '../../../app/principal.ts'
import { receiveDelivery } from '../../../app/triggers/receive-delivery.ts'
import { mappedInput, triggerOf, type DeliveryNote, type Trigger } from '../../../app/triggers/record.ts'
import * as api from '../../../core/api/triggers.ts'
import { isoFromMs } from '../../../core/time.ts'
import { runStarter } from '../../../library/clockwork/run-starter.ts'
import { partsOf } from '../../../library/services-of.ts'
import { bind, type Asked, type BoundRoute } from '../serve/bound-route.ts'
import { readBody } from '../wire/read-request.ts'

const PAGE = 50
const TRIED = 'a-test'

function managing({ caller, keelson, world }: Pick<Asked, 'caller' | 'keelson' | 'world'>): app.TriggerManaging {
  const { services, keys } = partsOf(keelson)
  const { tenantId, actorId } = caller
  return { store: services.store, keys, bytes: randomBytes, tenantId, actorId, now: world.now() }
}

function shown({ name, address, record }: Trigger): object {
  const { definition, secret, createdAt, createdBy, updatedAt, updatedBy } = record
  return {
    trigger: name,
    ...definition,
    deliverTo: `/v1/triggers/${address}`,
    ...('ref' in secret ? { secretRef: secret.ref } : {}),
    createdAt: isoFromMs(createdAt),
    createdBy,
    updatedAt: isoFromMs(updatedAt),
    updatedBy,
  }
}

function shownDelivery({ at, body }: { readonly at: number; readonly body: string }): object {
  const { runId, ...one } = JSON.parse(body) as DeliveryNote
  return { at: isoFromMs(at), ...one, ...(runId === undefined ? {} : { executionId: runId }) }
}

export const TRIGGERS: readonly BoundRoute[] = [
  bind(api.listTriggers, async (asked) => {
    const { limit = PAGE, cursor = '' } = asked.query
    const { store, tenantId } = managing(asked)
    const found = (await store.listTriggers(tenantId, cursor, limit)).map(triggerOf)
    const next = found.length < limit ? undefined : found.at(-1)?.name
    return { body: { triggers: found.map(shown), ...(next === undefined ? {} : { next }) } }
  }),
  bind(api.createTrigger, async (asked) => {
    const { trigger: name, ...definition } = asked.body
    const { trigger, secret } = await app.createTrigger(managing(asked), name, definition)
    return { status: 201, body: { ...shown(trigger), ...(secret === undefined ? {} : { secret }) }, target: name }
  }),
  bind(api.getTrigger, async (asked) => ({
    body: shown(await app.findTrigger(managing(asked), asked.params.trigger)),
  })),
  bind(api.updateTrigger, async (asked) => ({
    body: shown(await app.updateTrigger(managing(asked), asked.params.trigger, asked.body)),
  })),
  bind(api.deleteTrigger, async (asked) => {
    const { trigger } = asked.params
    await app.deleteTrigger(managing(asked), trigger)
    return { body: { trigger, deleted: true } }
  }),
  bind(api.testTrigger, async (asked) => {
    const { record } = await app.findTrigger(managing(asked), asked.params.trigger)
    const { body, event, deliveryId = TRIED } = asked.body
    return { body: { input: mappedInput(record.definition, { body, event, deliveryId }) } }
  }),
  bind(api.listDeliveries, async (asked) => {
    const by = managing(asked)
    const { name } = await app.findTrigger(by, asked.params.trigger)
    const found = await by.store.listDeliveries(by.tenantId, name, asked.query.limit ?? PAGE)
    return { body: { deliveries: found.map(shownDelivery) } }
  }),
  bind(api.deliver, async ({ world, params, bodyBytes, header, correlationId }) => {
    const { services, keys } = partsOf(world.keelson)
    const tell = (thrown: unknown): void => world.tell(thrown, correlationId)
    const receiving = {
      store: services.store,
      keys,
      secrets: services.secrets,
      runs: runStarter(world.keelson),
      bytes: randomBytes,
      now: world.now(),
      take: (tenantId: string, actorId: string) =>
        world.rates.take({ ...LOCAL_PRINCIPAL, tenantId, actorId, kind: 'system', roles: [] }),
      tell,
      later: (work: () => Promise<void>) => void services.timers.defer(() => void work().catch(tell)),
    }
    const body = (): unknown => readBody(bodyBytes)
    const delivery = { bytes: bodyBytes, body, header }
    const { runId, existed, tenantId, actorId } = await receiveDelivery(receiving, params.trigger, delivery)
    // It has no caller whose act it would be: the run is the act of the trigger, once.
    if (!existed)
      await world.note(tenantId, {
        type: 'STATE_MUTATION',
        actorId,
        action: 'RUN_START',
        call: api.deliver.id,
        decision: 'GRANTED',
        target: runId,
        correlationId,
      })
    return { status: existed ? 200 : 202, body: { executionId: runId, existed } }
  }),
]
