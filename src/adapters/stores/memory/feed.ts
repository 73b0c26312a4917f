/**
 * The feed (P-50): the log is the outbox, and a subscriber's cursor per run says what is settled. Every read looks at
 * every run, so the position that other stores page by means nothing here.
 */
import { appendAll } from '../../../core/collections/append-all.ts'
import { follows } from '../../../core/feed/subscriber.ts'
import type { DeadLetter, Delivery, FeedItem, FeedPage, FeedStatus, Subscriber } from '../../../ports/feed.ts'
import type { RunKey } from '../../../ports/run-store.ts'
import type { MemoryDisk, MemoryRun, MemorySubscriber } from './connect.ts'
import { readEvents, runOf } from './read.ts'

const newSubscriber = (): MemorySubscriber => ({ cursors: new Map(), blocked: new Map(), deadLetters: [] })

const subscriberOf = (disk: MemoryDisk, name: string): MemorySubscriber => disk.subscribers.get(name) ?? newSubscriber()

const cursorOf = ({ cursors }: MemorySubscriber, { row }: MemoryRun): number => cursors.get(row.runKey) ?? 0

function runsBehind(disk: MemoryDisk, name: string): readonly MemoryRun[] {
  const subscriber = subscriberOf(disk, name)
  const isBehind = (run: MemoryRun): boolean => (run.events.at(-1)?.runSeq ?? 0) > cursorOf(subscriber, run)
  return disk.runs.filter((run) => follows(name, run.row.tenantId) && isBehind(run))
}

/** First the blocked runs that are due, in order of their time; then the others in order of their last append. */
export function readFeed(
  disk: MemoryDisk,
  name: string,
  page: { readonly now: number; readonly limit: number },
): FeedPage {
  const subscriber = subscriberOf(disk, name)
  const retryAt = ({ row }: MemoryRun): number => subscriber.blocked.get(row.runKey)?.retryAt ?? -1
  const ready = runsBehind(disk, name).filter((run) => retryAt(run) <= page.now)
  const blocked = ready.filter(({ row }) => subscriber.blocked.has(row.runKey)).sort((a, b) => retryAt(a) - retryAt(b))
  const others = ready.filter(({ row }) => !subscriber.blocked.has(row.runKey)).sort((a, b) => a.feedPos - b.feedPos)
  const items: FeedItem[] = []
  for (const run of [...blocked, ...others]) appendAll(items, itemsOf(disk, run, subscriber, page.limit - items.length))
  return { items, position: String(disk.feedPos) }
}

function itemsOf(disk: MemoryDisk, { row }: MemoryRun, subscriber: MemorySubscriber, limit: number): FeedItem[] {
  const { runKey, tenantId, runId } = row
  const failures = subscriber.blocked.get(runKey)?.attempts ?? 0
  const events = readEvents(disk, runKey, { afterSeq: subscriber.cursors.get(runKey) ?? 0, limit })
  return events.map((event, index) => ({
    runKey,
    run: { tenantId, runId },
    event,
    attempts: index === 0 ? failures : 0,
  }))
}

export function settleFeed(disk: MemoryDisk, name: string, deliveries: readonly Delivery[], now: number): void {
  const subscriber = subscriberOf(disk, name)
  disk.subscribers.set(name, subscriber)
  for (const delivery of deliveries) {
    const run = runOf(disk, delivery.runKey)
    if (run === undefined || run.row.archivedAt !== undefined || !follows(name, run.row.tenantId)) continue
    if (delivery.runSeq > cursorOf(subscriber, run)) settle(subscriber, run, delivery, now)
  }
}

function settle(subscriber: MemorySubscriber, { row }: MemoryRun, delivery: Delivery, now: number): void {
  const { cursors, blocked, deadLetters } = subscriber
  const { runKey, tenantId, runId } = row
  if (delivery.result === 'failed') {
    const attempts = (blocked.get(runKey)?.attempts ?? 0) + 1
    blocked.set(runKey, { attempts, retryAt: delivery.retryAt })
    return
  }
  cursors.set(runKey, delivery.runSeq)
  blocked.delete(runKey)
  if (delivery.result === 'delivered') return
  const { runSeq, error } = delivery
  deadLetters.push(Object.freeze({ runKey, run: Object.freeze({ tenantId, runId }), runSeq, error, at: now }))
}

export function feedStatus(disk: MemoryDisk, name: string): FeedStatus {
  const subscriber = subscriberOf(disk, name)
  return {
    runsBehind: runsBehind(disk, name).length,
    runsBlocked: subscriber.blocked.size,
    deadLetters: subscriber.deadLetters.length,
  }
}

export function subscribersBehind(disk: MemoryDisk, runKey: RunKey): readonly string[] {
  const behind = [...disk.subscribers.keys()].filter((name) =>
    runsBehind(disk, name).some(({ row }) => row.runKey === runKey),
  )
  return behind.sort()
}

export function readDeadLetters(disk: MemoryDisk, name: string, limit: number, asked?: 'asked'): readonly DeadLetter[] {
  const { deadLetters } = subscriberOf(disk, name)
  return deadLetters.filter(({ askedAt }) => asked === undefined || askedAt !== undefined).slice(0, limit)
}

export function askRedelivery(
  disk: MemoryDisk,
  name: string,
  { runKey, runSeq, askedAt }: Pick<DeadLetter, 'runKey' | 'runSeq' | 'askedAt'>,
): boolean {
  const { deadLetters } = subscriberOf(disk, name)
  const index = deadLetters.findIndex((one) => one.runKey === runKey && one.runSeq === runSeq)
  const found = deadLetters[index]
  if (found === undefined) return false
  const { askedAt: _before, ...deadLetter } = found
  deadLetters[index] = Object.freeze(askedAt === undefined ? deadLetter : { ...deadLetter, askedAt })
  return true
}

/** Its own cursors say how far it has come; together they are how many events it has settled. */
export function listSubscribers(disk: MemoryDisk): readonly Subscriber[] {
  const settled = ({ cursors }: MemorySubscriber): number => [...cursors.values()].reduce((sum, seq) => sum + seq, 0)
  return [...disk.subscribers]
    .map(([subscriber, one]) => ({ subscriber, position: String(settled(one)) }))
    .sort((a, b) => Buffer.compare(Buffer.from(a.subscriber), Buffer.from(b.subscriber)))
}

export function dropDeadLetter(disk: MemoryDisk, name: string, runKey: RunKey, runSeq: number): boolean {
  const { deadLetters } = subscriberOf(disk, name)
  const index = deadLetters.findIndex((deadLetter) => deadLetter.runKey === runKey && deadLetter.runSeq === runSeq)
  if (index >= 0) deadLetters.splice(index, 1)
  return index >= 0
}

/** An error may quote the values that could not be delivered. */
export function eraseErrors(disk: MemoryDisk, runKey: RunKey, upToSeq: number): void {
  for (const { deadLetters } of disk.subscribers.values())
    for (const [index, deadLetter] of deadLetters.entries())
      if (deadLetter.runKey === runKey && deadLetter.runSeq <= upToSeq)
        deadLetters[index] = Object.freeze({ ...deadLetter, error: '' })
}

/** An archived run has no events to deliver, so the state of its deliveries is removed too. */
export function forgetRun(disk: MemoryDisk, runKey: RunKey): void {
  for (const { cursors, blocked, deadLetters } of disk.subscribers.values()) {
    cursors.delete(runKey)
    blocked.delete(runKey)
    const kept = deadLetters.filter((deadLetter) => deadLetter.runKey !== runKey)
    deadLetters.length = 0
    appendAll(deadLetters, kept)
  }
}
