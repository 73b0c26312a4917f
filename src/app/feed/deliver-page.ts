/**
 * Delivers one page of the feed: events of one run strictly one after another, runs in parallel. A failure stops only
 * its own run; after the last allowed failure the event becomes a dead letter and its run goes on (BUS-02, BUS-09).
 */
import { problem, type Problem } from '../../core/problems/problem.ts'
import type { Delivery, FeedItem } from '../../ports/feed.ts'
import { describeError } from '../redact/describe-error.ts'

export interface PageRules {
  readonly deliver: (item: FeedItem) => Promise<void>
  readonly maxAttempts: number
  readonly runsAtOnce: number
  /** When an event with this many failures is tried again. */
  readonly retryAt: (failures: number) => number
  readonly onProblem: (problem: Problem) => void
}

export async function deliverPage(items: readonly FeedItem[], rules: PageRules): Promise<readonly Delivery[]> {
  const runs = [...Map.groupBy(items, (item) => item.runKey).values()]
  const deliveries: Delivery[] = []
  const worker = async (): Promise<void> => {
    for (let run = runs.shift(); run !== undefined; run = runs.shift()) {
      for (const item of run) {
        const delivery = await deliverOne(item, rules)
        deliveries.push(delivery)
        if (delivery.result === 'failed') break
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(rules.runsAtOnce, runs.length) }, worker))
  return deliveries
}

async function deliverOne(item: FeedItem, rules: PageRules): Promise<Delivery> {
  const { runKey } = item
  const { runSeq } = item.event
  try {
    await rules.deliver(item)
    return { runKey, runSeq, result: 'delivered' }
  } catch (thrown) {
    const error = describeError(thrown).errorText.message
    const failures = item.attempts + 1
    if (failures < rules.maxAttempts)
      return { runKey, runSeq, result: 'failed', retryAt: rules.retryAt(failures), error }
    const message = `event ${runSeq} of run ${item.run.runId} failed ${failures} times: ${error}`
    rules.onProblem(problem('EVENT_BUS_DELIVERY_FAILED', message, { details: { ...item.run, runSeq, priority: 'P1' } }))
    return { runKey, runSeq, result: 'dead', error }
  }
}
