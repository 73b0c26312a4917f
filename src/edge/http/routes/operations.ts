/** What operators look after: alerts, engines, followers of the log and their dead letters. */
import { askForRedelivery, findDeadLetter, letterOf, noLetter } from '../../../app/feed/dead-letters.ts'
import { listSubscribers } from '../../../app/feed/list-subscribers.ts'
import { eventAt } from '../../../app/log/stored-events.ts'
import * as api from '../../../core/api/operations.ts'
import { isoFromMs } from '../../../core/time.ts'
import { alertPage } from '../../../library/read/alert-page.ts'
import { partsOf, storeOf } from '../../../library/services-of.ts'
import { bind, type BoundRoute } from '../serve/bound-route.ts'
import { readiness } from '../serve/readiness.ts'
import { enginesOf } from '../wire/engine-view.ts'
import { shownLetter, shownSubscriberState } from '../wire/feed-view.ts'
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
    const states = await listSubscribers(storeOf(world.keelson))
    return { body: { subscribers: states.map(shownSubscriberState) } }
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
  bind(api.dropDeadLetter, async ({ world, params, query }) => {
    const { subscriber, letterId } = params
    const { runKey, runSeq } = letterOf(letterId)
    const isDropped = await storeOf(world.keelson).dropDeadLetter(subscriber, runKey, runSeq)
    if (!isDropped) return noLetter()
    const why = query.reason === undefined ? {} : { because: query.reason }
    return { body: { letterId, dropped: true }, target: `${subscriber} ${letterId}`, ...why }
  }),
]
