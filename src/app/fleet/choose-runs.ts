/** The runs that an operation is for, newest first, and the hash by which a preview and its operation are compared. */
import { LIMITS } from '../../core/limits.ts'
import { fail } from '../../core/problems/problem.ts'
import type { ListFilter, RunRow, RunStore } from '../../ports/run-store.ts'
import { appendAll } from '../../core/collections/append-all.ts'
import { canonicalText } from '../log/canonical.ts'
import { sha256Hex } from '../log/sha256.ts'
import type { SignalRequest } from '../signals/judge-signal.ts'

const PAGE = 1_000

export async function chosenRuns(
  store: Pick<RunStore, 'listRuns'>,
  tenantId: string,
  filter: ListFilter,
): Promise<readonly RunRow[]> {
  const rows: RunRow[] = []
  for (let cursor: string | undefined; ;) {
    const page = await store.listRuns(tenantId, filter, { limit: PAGE, ...(cursor === undefined ? {} : { cursor }) })
    appendAll(rows, page.runs)
    if (rows.length > LIMITS.fleetRuns)
      fail('OPERATION_TOO_LARGE', `more than ${LIMITS.fleetRuns} runs match; one operation takes no more`)
    if (page.next === undefined) return rows
    cursor = page.next
  }
}

/** The same signal to the same runs in the same order. */
export function previewSha256(
  { signalType, payload }: Pick<SignalRequest, 'signalType' | 'payload'>,
  rows: readonly Pick<RunRow, 'runId'>[],
): string {
  return sha256Hex(canonicalText({ signalType, payload, runs: rows.map(({ runId }) => runId) }))
}
