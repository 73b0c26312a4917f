/**
 * The inbox rows that were sent under one token. The first is `manual:<sha256(token)>`; a refused one leaves the token
 * valid for another person, whose row is the next (MAN-07).
 */
import { LIMITS } from '../../core/limits.ts'
import { fail } from '../../core/problems/problem.ts'
import { isProblemCode } from '../../core/problems/registry.ts'
import { COMPLETE_TASK } from '../../core/run/signals/catalogue.ts'
import type { InboxRow, RunKey, RunRow, RunStore } from '../../ports/run-store.ts'
import { awaitVerdict, type VerdictParts } from './inbox-row-verdict.ts'
import { recordOf } from '../log/read-events.ts'
import { eventAt } from '../log/stored-events.ts'
import { sha256Hex } from '../log/sha256.ts'
import { saysTheSame, senderOf, type SentCompletion, type TaskCompletion } from './task-completion.ts'

export function inboxRowId(token: string, ordinal: number): string {
  const first = `manual:${sha256Hex(token)}`
  return ordinal === 1 ? first : `${first}:${ordinal}`
}

export async function inboxRowsOf(store: RunStore, runKey: RunKey, token: string): Promise<readonly InboxRow[]> {
  const rows: InboxRow[] = []
  for (let ordinal = 1; ordinal <= LIMITS.inboxRowsPerTask; ordinal += 1) {
    const row = await store.findInbox(runKey, inboxRowId(token, ordinal))
    if (row === undefined) break
    rows.push(row)
  }
  return rows
}

/** Undefined when it was erased: its content is no longer known. */
export function sentIn({ body }: InboxRow): SentCompletion | undefined {
  return body === '' ? undefined : (JSON.parse(body) as SentCompletion)
}

/** Why the decision that took the inbox row refused it; undefined when it did not, or when none has taken it yet. */
export async function refusalOf(
  store: RunStore,
  runKey: RunKey,
  row: InboxRow,
): Promise<{ readonly code: string; readonly why: string } | undefined> {
  const { consumedSeq } = row
  const sent = sentIn(row)
  if (consumedSeq === undefined || sent === undefined) return undefined
  const stored = await eventAt(store, runKey, consumedSeq)
  const record = stored?.eventType === 'SignalRejected' ? recordOf(stored) : undefined
  const payload = record?.ok === true ? record.value.payload : undefined
  const isIts =
    payload?.['signalType'] === COMPLETE_TASK &&
    payload['target'] === sent.slot &&
    payload['actorId'] === senderOf(sent)
  return isIts ? { code: String(payload['reasonCode']), why: String(payload['reason']) } : undefined
}

/** Waits a moment until the inbox row just sent is taken, and fails when it was refused. */
export async function completionTaken(
  parts: VerdictParts,
  { runKey }: RunRow,
  completion: TaskCompletion,
): Promise<void> {
  const { store } = parts.services
  const inboxRows = await inboxRowsOf(store, runKey, completion.completionToken)
  const isOurs = (row: InboxRow): boolean => {
    const sent = sentIn(row)
    return sent !== undefined && saysTheSame(sent, completion)
  }
  const own = inboxRows.findLast(isOurs)
  if (own === undefined || (await awaitVerdict(parts, runKey, own.inboxId)).kind === 'pending') return
  const taken = await store.findInbox(runKey, own.inboxId)
  const refusal = taken === undefined ? undefined : await refusalOf(store, runKey, taken)
  if (refusal !== undefined) fail(isProblemCode(refusal.code) ? refusal.code : 'AUTHZ_DENIED', refusal.why)
}
