/**
 * The runs that an operation is for, newest first, and the hash by which a preview and its operation are compared. Of all of them only
 * the ids are kept in memory: there may be fifty thousand.
 */
import { LIMITS } from '../../core/limits.ts'
import { fail } from '../../core/problems/problem.ts'
import type { ListFilter, RunRow, RunStore } from '../../ports/run-store.ts'
import { canonicalText } from '../log/canonical.ts'
import { sha256Hex } from '../log/sha256.ts'
import type { SignalRequest } from '../signals/judge-signal.ts'

const PAGE = 1_000

export interface ChosenRuns {
  readonly runIds: readonly string[]
  /** The newest of them, as many as were asked for. */
  readonly first: readonly RunRow[]
}

export async function chosenRuns(
  store: Pick<RunStore, 'listRuns'>,
  tenantId: string,
  filter: ListFilter,
  rowsKept = 0,
): Promise<ChosenRuns> {
  const runIds: string[] = []
  const first: RunRow[] = []
  for (let cursor: string | undefined; ;) {
    const page = await store.listRuns(tenantId, filter, { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) })
    for (const row of page.runs) {
      runIds.push(row.runId)
      if (first.length < rowsKept) first.push(row)
    }
    if (runIds.length > LIMITS.fleetRuns)
      fail('OPERATION_TOO_LARGE', `more than ${LIMITS.fleetRuns} runs match; one operation takes no more`)
    if (page.next === undefined) return { runIds, first }
    cursor = page.next
  }
}

/** The same signal to the same runs in the same order. */
export function previewSha256(
  { signalType, payload }: Pick<SignalRequest, 'signalType' | 'payload'>,
  runIds: readonly string[],
): string {
  return sha256Hex(canonicalText({ signalType, payload, runs: runIds }))
}
