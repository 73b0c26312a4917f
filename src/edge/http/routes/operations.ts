/** What operators look after: alerts, engines, followers of the log and their dead letters. */
import { askForRedelivery, findDeadLetter, letterIdOf, letterOf, noLetter } from '../../../app/feed/dead-letters.ts'
import { eventAt } from '../../../app/log/stored-events.ts'
import * as api from '../../../core/api/operations.ts'
import { subscriberName, subscriberTenant } from '../../../core/feed/subscriber.ts'
import { isoFromMs } from '../../../core/time.ts'
import { alertPage } from '../../../library/read/alert-page.ts'
import { partsOf, storeOf } from '../../../library/services-of.ts'
import type { DeadLetter } from '../../../ports/feed.ts'
import { bind, type BoundRoute } from '../serve/bound-route.ts'
import { readiness } from '../serve/readiness.ts'
import { enginesOf } from '../wire/engine-view.ts'
import { instantOf } from '../wire/list-filter.ts'

const PAGE = 100
const DAY_MS = 86_400_000

export const OPERATIONS: readonly BoundRoute[] = [
  bind(api.listAlerts, async ({ keelson, world, query }) => {
    const { executionId, priority, code, limit = PAGE, cursor } = query
    const row = executionId === undefined ? undefined : (await keelson.run(executionId)).row
    const from = row === undefined ? world.now() - DAY_MS : undefined
    const since = query.since === undefined ? from : instantOf(query.since, 'since', world.now())
    return { body: await alertPage(partsOf(keelson), { row, since, priority, code }, { limit, cursor }) }
  }),
  bind(api.listEngines, async ({ keelson, world }) => {
    const duties = await readiness(world.keelson, world.stopping.aborted, world.undertaken)
    return { body: { engines: await enginesOf(keelson, duties['engine'] ?? duties['store']) } }
  }),
  bind(api.listSubscribers, async ({ world }) => {
    const store = storeOf(world.keelson)
    const subscribers: object[] = []
    for (const one of await store.listSubscribers()) {
      const { stalledBy, ...status } = await store.feedStatus(one.subscriber)
      const ofTenant = subscriberTenant(one.subscriber)
      subscribers.push({
        ...one,
        name: subscriberName(one.subscriber),
        ...(ofTenant === undefined ? {} : { ofTenant }),
        ...status,
        ...(stalledBy === undefined ? {} : { stalledByPid: stalledBy.pid }),
      })
    }
    return { body: { subscribers } }
  }),
  bind(api.listDeadLetters, async ({ world, params, query }) => {
    const deadLetters = await storeOf(world.keelson).readDeadLetters(params.subscriber, query.limit ?? PAGE)
    return { body: { deadLetters: deadLetters.map(shownLetter) } }
  }),
  bind(api.getDeadLetter, async ({ world, params }) => {
    const store = storeOf(world.keelson)
    const deadLetter = await findDeadLetter(store, params.subscriber, params.letterId)
    const event = await eventAt(store, deadLetter.runKey, deadLetter.runSeq)
    const about = event === undefined ? {} : { eventType: event.eventType, persistedAt: isoFromMs(event.persistedAt) }
    return { body: { ...shownLetter(deadLetter), ...about } }
  }),
  bind(api.redeliverDeadLetters, async ({ world, params, body }) => {
    const when = { now: world.now(), first: PAGE }
    const asked = await askForRedelivery(storeOf(world.keelson), params.subscriber, body.letterIds, when)
    return { status: 202, body: { asked }, target: params.subscriber }
  }),
  bind(api.dropDeadLetter, async ({ world, params }) => {
    const { subscriber, letterId } = params
    const { runKey, runSeq } = letterOf(letterId)
    const isDropped = await storeOf(world.keelson).dropDeadLetter(subscriber, runKey, runSeq)
    return isDropped ? { body: { letterId, dropped: true }, target: `${subscriber} ${letterId}` } : noLetter()
  }),
]

function shownLetter(deadLetter: DeadLetter): object {
  const { run, runSeq, error, at, askedAt } = deadLetter
  return {
    letterId: letterIdOf(deadLetter),
    ofTenant: run.tenantId,
    executionId: run.runId,
    runSeq,
    error,
    at: isoFromMs(at),
    ...(askedAt === undefined ? {} : { askedAt: isoFromMs(askedAt) }),
  }
}
