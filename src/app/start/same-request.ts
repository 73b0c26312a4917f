/**
 * A start request under a key or a run id that was used before is the same request only with the same plan and input: anything
 * else is refused, so that no caller gets the run of another request (BPQ-06, IDC-07).
 */
import { fail } from '../../core/problems/problem.ts'
import type { NewRun, RunRow, RunStore } from '../../ports/run-store.ts'
import { canonicalText } from '../log/canonical.ts'
import { isErased } from '../log/erased-data.ts'
import { recordOf } from '../log/read-events.ts'
import { eventAt } from '../log/stored-events.ts'
import { sha256Hex } from '../log/sha256.ts'
import { compensationOf } from '../loaded/compensation-run-id.ts'

/** Throws IDEMPOTENCY_KEY_CONFLICT when the run that was found by its request key is not what is asked for now. */
export async function checkSameRequest(store: RunStore, first: RunRow, asked: NewRun, input: unknown): Promise<void> {
  // A fork's input is that of its old run, which may be erased by now.
  const what = asked.originalRunId === undefined ? await planOrInput(store, first, asked, input) : undefined
  if (what === undefined) return
  const { runId, planId, planVersion } = first
  fail(
    'IDEMPOTENCY_KEY_CONFLICT',
    `this request id has already started run ${runId} of ${planId} ${planVersion}, with ${what}`,
  )
}

/**
 * Throws RUN_ALREADY_EXISTS when the run under this id is another one. A child's id is made of its parent's run, slot and
 * attempt, so these alone say whether it is the same: which plan a name leads to may have changed since.
 */
export async function checkSameRun(store: RunStore, first: RunRow, asked: NewRun, input: unknown): Promise<void> {
  const what = otherPlace(first, asked) ?? (await otherContent(store, first, asked, input))
  if (what !== undefined) fail('RUN_ALREADY_EXISTS', `run ${first.runId} was started before, ${what}`)
}

function otherPlace(first: RunRow, asked: NewRun): string | undefined {
  if (first.projectId !== asked.projectId || first.environmentId !== asked.environmentId)
    return 'in another project or environment'
  // The id of a run that undoes another is derived from that other run: the first of several forks that asks has the work undone
  // for all of them.
  const undone = compensationOf(asked)
  if (undone !== undefined && undone === compensationOf(first)) return undefined
  if (parentOf(first) !== parentOf(asked)) return 'by another caller'
  return first.originalRunId === asked.originalRunId ? undefined : 'from the results of another run'
}

function parentOf({ parent }: NewRun): string | undefined {
  return parent === undefined ? undefined : `${parent.runId}|${parent.slot}|${parent.attempt}`
}

async function otherContent(
  store: RunStore,
  first: RunRow,
  asked: NewRun,
  input: unknown,
): Promise<string | undefined> {
  if (asked.parent !== undefined) return undefined
  const what = await planOrInput(store, first, asked, input)
  return what === undefined ? undefined : `with ${what}`
}

async function planOrInput(
  store: RunStore,
  first: RunRow,
  asked: NewRun,
  input: unknown,
): Promise<'another plan' | 'another input' | undefined> {
  if (first.planSha256 !== asked.planSha256) return 'another plan'
  const recorded = await recordedInput(store, first)
  // Erased or archived: what was asked for is not known any more.
  return recorded === undefined || recorded === sha256Hex(canonicalText(input)) ? undefined : 'another input'
}

/** The hash of the input as it was admitted, defaults filled in. */
async function recordedInput(store: RunStore, { runKey }: RunRow): Promise<string | undefined> {
  const stored = await eventAt(store, runKey, 1)
  const record = stored === undefined ? undefined : recordOf(stored)
  if (record?.ok !== true) return undefined
  const ref = record.value.payload?.['inputRef'] as { readonly sha256: string } | undefined
  if (ref !== undefined) return ref.sha256
  return isErased(record.value) ? undefined : sha256Hex(canonicalText(record.value.data?.['input'] ?? {}))
}
