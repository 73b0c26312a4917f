/**
 * What people recognised over the network do with runs: signals, decisions of a second person, tasks. Each goes the way that a
 * program's own act goes; only who is asked for permission differs.
 */
import type { Action } from '../../core/authority/actions.ts'
import { authorizedSender, type Asking } from '../../app/signals/authorized-sender.ts'
import type { SignalRequest } from '../../app/signals/judge-signal.ts'
import { withVerdict } from '../../app/signals/note-verdict.ts'
import { answered, tellRun } from '../../app/steer/deliver-signal.ts'
import { rejectRun } from '../../app/steer/approve-run.ts'
import { requestOf, settleDecision, type Settling } from '../../app/steer/settle-decision.ts'
import { fail } from '../../core/problems/problem.ts'
import type { RunStatus } from '../../core/run/state/transitions.ts'
import type { DecisionFilter, DecisionPage, SignalDecisionRecord } from '../../ports/decisions.ts'
import type { RunRow } from '../../ports/run-store.ts'
import type { Keelson } from '../keelson/keelson.ts'
import { sendFrom, startRetry, type SignalSent } from '../act/send-signal.ts'
import { partsOf } from '../services-of.ts'

export async function signalFor(
  keelson: Keelson,
  asking: Asking,
  row: RunRow,
  request: SignalRequest,
  action?: Action,
): Promise<SignalSent> {
  return sendFrom(partsOf(keelson), row, request, authorizedSender(asking, request.signalType, row.runId, action))
}

/** The decision after the run was told, with what it made of an accepted signal if that is known within 2 s. */
export async function settleFor(keelson: Keelson, asking: Asking, id: string, settling: Settling): Promise<SignalSent> {
  const parts = partsOf(keelson)
  const { record } = await settleDecision(parts.services, asking, id, settling)
  const { tenantId, actorId } = record.audit
  const row = await parts.services.store.findRun({ tenantId, runId: record.runId })
  const taken = { kind: 'sent', signalId: record.signalId, record } as const
  if (row === undefined || row.archivedAt !== undefined) return taken
  const isAccepted = record.decision === 'ACCEPTED'
  await tellRun(parts, row.runKey, isAccepted && record.signalType === 'CANCEL')
  if (!isAccepted) return taken
  const done = await answered(parts, row.runKey, taken)
  return record.signalType === 'RETRY_RUN' ? startRetry(parts, row, { ...requestOf(record), actorId }, done) : done
}

/** The decision about one signal of a run, by its id or by that of its decision; undefined where none was recorded. */
export async function decisionFor(
  keelson: Keelson,
  row: RunRow,
  id: string,
): Promise<SignalDecisionRecord | undefined> {
  const { store } = partsOf(keelson).services
  const { tenantId, runId, runKey } = row
  const found =
    (await store.findDecision(tenantId, { runId, signalId: id })) ??
    (await store.findDecision(tenantId, { policyDecisionId: id })) ??
    (await store.findDecision(tenantId, { signalDecisionId: id }))
  return found === undefined || found.runId !== runId ? undefined : withVerdict(store, runKey, found)
}

export async function decisionsFor(
  keelson: Keelson,
  tenantId: string,
  filter: DecisionFilter,
  page: { readonly limit: number; readonly cursor?: string },
): Promise<DecisionPage> {
  const { store } = partsOf(keelson).services
  const { decisions, next } = await store.listDecisions(tenantId, filter, page)
  const shown: SignalDecisionRecord[] = []
  for (const record of decisions) {
    const row = await store.findRun({ tenantId, runId: record.runId })
    shown.push(row === undefined ? record : await withVerdict(store, row.runKey, record))
  }
  return { decisions: shown, ...(next === undefined ? {} : { next }) }
}

/** Ends a run that waits for approval, in the name of who asks. */
export async function rejectFor(keelson: Keelson, asking: Asking, runId: string, reason?: string): Promise<RunStatus> {
  const parts = partsOf(keelson)
  const { tenantId } = asking.caller
  const row = await parts.services.store.findRun({ tenantId, runId })
  if (row === undefined) return fail('RUN_NOT_FOUND', `no run ${runId}`)
  return rejectRun(parts, row, authorizedSender(asking, 'CANCEL', runId), reason)
}
