/**
 * A start request under a key that was used before is the same request only with the same plan and input: anything else is
 * refused, so that nobody takes the run of another request for theirs (BPQ-06, IDC-07).
 */
import { fail } from '../core/problems/problem.ts'
import type { RunRow, RunStore } from '../ports/run-store.ts'
import { canonicalText } from './canonical.ts'
import { isErased } from './recorded-decision.ts'
import { recordOf } from './read-events.ts'
import { sha256Hex } from './sha256.ts'

export async function checkSameRequest(
  store: RunStore,
  first: RunRow,
  { planSha256, input }: { readonly planSha256: string; readonly input: unknown },
): Promise<void> {
  if (first.planSha256 !== planSha256) conflict(first, 'another plan')
  const recorded = await recordedInput(store, first)
  // Erased or archived: what was asked for is not known any more.
  if (recorded !== undefined && recorded !== sha256Hex(canonicalText(input))) conflict(first, 'another input')
}

function conflict({ runId, planId, planVersion }: RunRow, what: string): never {
  return fail(
    'IDEMPOTENCY_KEY_CONFLICT',
    `under this request id run ${runId} of ${planId} ${planVersion} was started, with ${what}`,
  )
}

/** The hash of the input as it was admitted, defaults filled in. */
async function recordedInput(store: RunStore, { runKey }: RunRow): Promise<string | undefined> {
  const [stored] = await store.readEvents(runKey, { limit: 1 })
  const record = stored === undefined ? undefined : recordOf(stored)
  if (record?.ok !== true) return undefined
  const ref = record.value.payload?.['inputRef'] as { readonly sha256: string } | undefined
  if (ref !== undefined) return ref.sha256
  return isErased(record.value) ? undefined : sha256Hex(canonicalText(record.value.data?.['input'] ?? {}))
}
