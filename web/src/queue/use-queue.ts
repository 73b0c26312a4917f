/** The beginning of the queue, how long all of it is, and the limits that its runs wait for. */
import type { AnswerOf } from '../../../src/core/api/contract.ts'
import type { listLimits } from '../../../src/core/api/limits.ts'
import { useAddress } from '../address/address.ts'
import { useWhyNot } from '../server/may.ts'
import { useAsked, type Asked } from '../server/use-asked.ts'
import type { QueuedRun } from './queue-groups.ts'

export type Limit = AnswerOf<typeof listLimits>['limits'][number]

export const QUEUE_PAGE = 100
/** The most that the server answers at once. */
export const QUEUE_MOST = 1_000

export interface Queue {
  readonly runs: readonly QueuedRun[]
  /** How many runs have not started. */
  readonly total: number
  readonly limits: readonly Limit[]
}

/** How many are shown, as the address says. */
export function useMost(): number {
  const asked = Number(useAddress().query.get('most') ?? QUEUE_PAGE)
  return Number.isInteger(asked) && asked >= 1 && asked <= QUEUE_MOST ? asked : QUEUE_PAGE
}

export function useQueue(most: number): Asked<Queue> {
  const maySeeLimits = useWhyNot('TENANT_READ') === undefined
  return useAsked(`queue ${most} ${maySeeLimits}`, async (client, signal) => {
    const [{ executions }, counts, { limits }] = await Promise.all([
      client.call('listQueue', { query: { order: 'oldest', limit: most }, signal }),
      client.call('countExecutions', { signal }),
      maySeeLimits ? client.call('listLimits', { signal }) : { limits: [] },
    ])
    const total = Number(counts['PENDING'] ?? 0) + Number(counts['APPROVED'] ?? 0)
    return { runs: executions, total, limits }
  })
}
