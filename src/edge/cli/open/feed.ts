/** Followers of the logs and their dead letters for a command: those in the store of this place, or those that a server tells of. */
import { askForRedelivery, findDeadLetter, letterOf, noLetter } from '../../../app/feed/dead-letters.ts'
import { listSubscribers } from '../../../app/feed/list-subscribers.ts'
import { eventAt } from '../../../app/log/stored-events.ts'
import { LOCAL_PRINCIPAL } from '../../../app/principal.ts'
import type { Client } from '../../../client/connect.ts'
import type { AnswerOf } from '../../../core/api/contract.ts'
import type * as api from '../../../core/api/operations.ts'
import { didYouMean } from '../../../core/did-you-mean.ts'
import type { DropReason } from '../../../core/feed/drop-reasons.ts'
import { KeelsonError, fail } from '../../../core/problems/problem.ts'
import { isoFromMs } from '../../../core/time.ts'
import type { RunStore } from '../../../ports/run-store.ts'
import { shownLetter, shownSubscriberState, type ShownLetter, type ShownSubscriber } from '../../http/wire/feed-view.ts'
import { serverClient } from '../remote/server-client.ts'
import type { Options } from '../terminal/command.ts'
import { openToLook } from './look.ts'
import { openExisting } from './session.ts'

export type WholeLetter = AnswerOf<typeof api.getDeadLetter>

export interface FeedCalls {
  subscribers(): Promise<readonly ShownSubscriber[]>
  deadLetters(subscriber: string, limit: number): Promise<readonly ShownLetter[]>
  deadLetter(subscriber: string, letterId: string): Promise<WholeLetter>
  /** Those named, or the first hundred. Resolves with how many were asked for. */
  redeliver(subscriber: string, letterIds: readonly string[] | undefined): Promise<number>
  drop(subscriber: string, letterId: string, reason: DropReason): Promise<void>
  close(): Promise<void>
}

const FIRST = 100

export async function openFeed(options: Options): Promise<FeedCalls> {
  const client = await serverClient(options, options.text('as'))
  return client === undefined ? feedHere(await openToLook(options), options) : feedAfar(client)
}

function feedHere(store: RunStore, options: Options): FeedCalls {
  return {
    subscribers: async () => (await listSubscribers(store)).map(shownSubscriberState),
    deadLetters: async (subscriber, limit) => (await store.readDeadLetters(subscriber, limit)).map(shownLetter),
    deadLetter: async (subscriber, letterId) => {
      const deadLetter = await findDeadLetter(store, subscriber, letterId)
      const event = await eventAt(store, deadLetter.runKey, deadLetter.runSeq)
      if (event === undefined) return shownLetter(deadLetter)
      const { eventType, persistedAt } = event
      return { ...shownLetter(deadLetter), eventType, persistedAt: isoFromMs(persistedAt) }
    },
    redeliver: (subscriber, letterIds) =>
      askForRedelivery(store, subscriber, letterIds, { now: Date.now(), first: FIRST }),
    drop: (subscriber, letterId, reason) => dropHere(options, { subscriber, letterId, reason }),
    close: () => store.close(),
  }
}

interface Dropped {
  readonly subscriber: string
  readonly letterId: string
  readonly reason: DropReason
}

/** What is given up is in the audit log, as it is where a server does it. Without keys here nothing can be signed, and so not recorded. */
async function dropHere(options: Options, { subscriber, letterId, reason }: Dropped): Promise<void> {
  const { recordAudit } = await import('../../../app/audit/audit-log.ts')
  const { partsOf } = await import('../../../library/services-of.ts')
  const keelson = await openExisting(options)
  try {
    const { services, keys } = partsOf(keelson)
    const { runKey, runSeq } = letterOf(letterId)
    if (!(await services.store.dropDeadLetter(subscriber, runKey, runSeq))) return noLetter()
    const fact = {
      type: 'STATE_MUTATION',
      actorId: options.text('as') ?? LOCAL_PRINCIPAL.actorId,
      action: 'SERVER_OPERATE',
      call: 'dropDeadLetter',
      decision: 'GRANTED',
      target: `${subscriber} ${letterId}`,
      because: reason,
    } as const
    await recordAudit({ log: services.store, keys, clock: services.clock }, LOCAL_PRINCIPAL.tenantId, [fact])
  } catch (thrown) {
    if (!(thrown instanceof KeelsonError && thrown.code === 'KEYS_NOT_CONFIGURED')) throw thrown
  } finally {
    await keelson.close()
  }
}

function feedAfar({ call }: Client): FeedCalls {
  return {
    subscribers: async () => (await call('listSubscribers')).subscribers,
    deadLetters: async (subscriber, limit) =>
      (await call('listDeadLetters', { params: { subscriber }, query: { limit } })).deadLetters,
    deadLetter: (subscriber, letterId) => call('getDeadLetter', { params: { subscriber, letterId } }),
    redeliver: async (subscriber, letterIds) =>
      (
        await call('redeliverDeadLetters', {
          params: { subscriber },
          body: letterIds === undefined ? {} : { letterIds },
        })
      ).asked,
    drop: async (subscriber, letterId, reason) =>
      void (await call('dropDeadLetter', { params: { subscriber, letterId }, query: { reason } })),
    close: async () => undefined,
  }
}

/** By the name in the store, or by that of its program where only one has it. */
export async function findSubscriber(calls: FeedCalls, word: string): Promise<ShownSubscriber> {
  const known = await calls.subscribers()
  const exact = known.find(({ subscriber }) => subscriber === word)
  const [first, ...more] = exact === undefined ? known.filter(({ name }) => name === word) : [exact]
  if (more.length > 0)
    return fail('USAGE', `several subscribers are called '${word}': ${known.map((one) => one.subscriber).join(', ')}`)
  const names = known.flatMap(({ subscriber, name }) => [name, subscriber])
  return first ?? fail('SUBSCRIBER_NOT_FOUND', `nobody follows as '${word}'`, didYouMean(word, names))
}
