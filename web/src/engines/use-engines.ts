/** The engines of the server, the workers of the tenant, what was sent to queues, and runs that nobody could carry out. */
import type { AnswerOf } from '../../../src/core/api/contract.ts'
import type { listEngines } from '../../../src/core/api/operations.ts'
import { useWhyNot } from '../server/may.ts'
import { useAsked, type Asked } from '../server/use-asked.ts'
import type { QueuedRun } from '../queue/queue-groups.ts'
import type { SentStep, Worker } from './work-queues.ts'

export type Engine = AnswerOf<typeof listEngines>['engines'][number]

/** Errors with which a run ends because nobody had its function, or nobody asked for its step in time. */
export const NOBODY_CODES = ['WORK_UNCLAIMED', 'NO_HANDLER'] as const

export interface Engines {
  readonly engines: readonly Engine[]
  readonly workers: readonly Worker[]
  readonly work: readonly SentStep[]
  /** Runs that this server cannot start. */
  readonly stuck: readonly QueuedRun[]
  /** How many runs failed with each of the codes, as far as was counted. */
  readonly failed: Readonly<Record<string, number>>
}

export const COUNTED = 100
export const WORK_MOST = 1_000

export function useEngines(): Asked<Engines> {
  const maySeeEngines = useWhyNot('TENANT_READ') === undefined
  return useAsked(`engines ${maySeeEngines}`, async (client, signal) => {
    const failures = NOBODY_CODES.map((errorCode) =>
      client.call('listExecutions', { query: { errorCode, status: ['FAILED'], limit: COUNTED }, signal }),
    )
    const [{ engines }, { workers }, { work }, { executions }, failed] = await Promise.all([
      maySeeEngines ? client.call('listEngines', { signal }) : { engines: [] },
      client.call('listWorkers', { signal }),
      client.call('listWork', { query: { limit: WORK_MOST }, signal }),
      client.call('listQueue', { query: { order: 'oldest', limit: COUNTED }, signal }),
      Promise.all(failures),
    ])
    return {
      engines,
      workers,
      work,
      stuck: executions.filter(({ cannotStart }) => cannotStart !== undefined),
      failed: Object.fromEntries(NOBODY_CODES.map((code, at) => [code, failed[at]?.executions.length ?? 0])),
    }
  })
}
