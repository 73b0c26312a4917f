/** A repeated start: the answer is the run that exists already, if the request is the same. */
import { fail } from '../../core/problems/problem.ts'
import type { RunLock } from '../../core/run/state/state.ts'
import type { CommitResult, NewRun, RunRow, RunStore } from '../../ports/run-store.ts'
import { checkSameLock } from '../plans/run-lock.ts'
import { checkSameRequest, checkSameRun } from './same-request.ts'

export async function askedBefore(
  store: RunStore,
  newRun: NewRun,
  found: Extract<CommitResult, { kind: 'run-exists' | 'request-exists' }>,
  asked: { readonly input: unknown; readonly lock: RunLock | undefined },
): Promise<{ readonly kind: 'exists'; readonly row: RunRow }> {
  const { tenantId } = newRun
  const isNamed = found.kind === 'run-exists'
  const row = await store.findRun({ tenantId, runId: isNamed ? newRun.runId : found.runId })
  // Archived rows are kept, so the row exists; a store that does not find it a moment later is faulty.
  if (row === undefined) return fail('RUN_ALREADY_EXISTS', 'this run id is taken')
  const check = isNamed ? checkSameRun : checkSameRequest
  await check(store, row, newRun, asked.input)
  await checkSameLock(store, row, asked.lock)
  return { kind: 'exists', row }
}

/** A caller who used this id with another plan is told that, and not what is wrong with the plan. */
export async function refuseOther(store: RunStore, newRun: NewRun, input: unknown): Promise<void> {
  const { tenantId, runId, requestKey } = newRun
  const requested = requestKey === undefined ? undefined : await store.findRunByRequest(tenantId, requestKey)
  if (requested !== undefined) await checkSameRequest(store, requested, newRun, input)
  const named = await store.findRun({ tenantId, runId })
  if (named !== undefined) await checkSameRun(store, named, newRun, input)
}
