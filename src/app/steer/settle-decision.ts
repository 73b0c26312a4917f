/**
 * A second person accepts or refuses a signal that waits for approval (AUT-04). The store settles it once, whoever else tries, and
 * tells the run in the same transaction: an accepted signal is judged there like any other, a refused one is on record there as refused.
 */
import { fail } from '../../core/problems/problem.ts'
import type { Authorization } from '../../core/run/input.ts'
import { isSamePerson } from '../../core/run/people/person.ts'
import type { DecisionStore, Settlement, SignalDecisionRecord } from '../../ports/decisions.ts'
import type { InboxInsert } from '../../ports/run-store.ts'
import type { Asking } from '../signals/authorized-sender.ts'
import { payloadOf, signalInboxRow } from '../signals/decision-record.ts'
import type { SignalRequest } from '../signals/judge-signal.ts'
import { mustFitReasons } from '../log/fitting.ts'
import type { Services } from '../services.ts'

export interface Settling {
  readonly decision: Settlement['decision']
  readonly reason?: string
}

export interface Settled {
  readonly record: SignalDecisionRecord
  /** False: somebody said the same before. */
  readonly isNew: boolean
}

export async function settleDecision(
  services: Pick<Services, 'store' | 'clock'>,
  asking: Asking,
  id: string,
  { decision, reason }: Settling,
): Promise<Settled> {
  const { tenantId, actorId } = asking.caller
  mustFitReasons({ reason })
  const pending = await findDecision(services.store, tenantId, id)
  await needSecondPerson(asking, pending)
  if (pending.decision !== 'PENDING') return settledBefore(pending, decision)
  const settlement = {
    decision,
    approvedBy: actorId,
    approvalTimestamp: services.clock.now(),
    ...(reason === undefined ? {} : { reason }),
  }
  const row = inboxRowFor(pending, settlement)
  const answer = await services.store.settleDecision(tenantId, pending.signalDecisionId, settlement, row)
  switch (answer.kind) {
    case 'settled':
      return { record: answer.record, isNew: true }
    case 'already':
      return settledBefore(answer.record, decision)
    case 'no-decision':
      return unknown(id)
    case 'no-run':
      return fail('RUN_NOT_FOUND', `no run ${pending.runId}`)
    case 'conflict':
      return fail('SIGNAL_DUPLICATE', `another signal was already sent under the id ${pending.signalId}`)
  }
}

/** By its own id, or by the id that the authorization gave it. */
async function findDecision(
  store: Pick<DecisionStore, 'findDecision'>,
  tenantId: string,
  id: string,
): Promise<SignalDecisionRecord> {
  return (
    (await store.findDecision(tenantId, { signalDecisionId: id })) ??
    (await store.findDecision(tenantId, { policyDecisionId: id })) ??
    unknown(id)
  )
}

/** What was asked for, to be told to the run; its sender stays its sender. */
export function requestOf(record: SignalDecisionRecord): SignalRequest {
  const { signalId, signalType, runId } = record
  const payload = payloadOf(record)
  if (payload === undefined) return fail('RUN_ERASED', `the data of run ${runId} was erased, and this signal with it`)
  return { signalId, signalType, payload }
}

/** Whoever sent it cannot be the second person, however their name is written; the other one needs the right to send it too. */
async function needSecondPerson({ caller, authorizer }: Asking, record: SignalDecisionRecord): Promise<void> {
  const { actorId, roles, tenantId } = caller
  if (isSamePerson(actorId, record.audit.actorId))
    fail('AUTHZ_DENIED', `${actorId} sent this signal; somebody else has to decide on it`)
  const verdict = await authorizer.evaluate({
    actor: { userId: actorId, roles },
    tenantId,
    action: 'SIGNAL_SEND',
    resource: record.runId,
    signal: { type: record.signalType, payload: payloadOf(record) ?? {} },
  })
  if (!verdict.allowed)
    fail('AUTHZ_DENIED', verdict.reason ?? `${actorId} may not decide on ${record.signalType}`, {
      details: { policyDecisionId: verdict.policyDecisionId },
    })
}

/** What the run is told. Of a signal that was erased with its run nothing can be applied; it can be refused. */
function inboxRowFor(record: SignalDecisionRecord, settlement: Settlement): InboxInsert | undefined {
  if (payloadOf(record) === undefined && settlement.decision === 'REJECTED') return undefined
  return signalInboxRow(requestOf(record), authorizationOf(record, settlement))
}

function authorizationOf(
  { policyDecisionId, audit }: SignalDecisionRecord,
  { decision, approvedBy, reason }: Settlement,
): Authorization {
  const who = { policyDecisionId, actorId: audit.actorId, actorRole: audit.actorRole }
  if (decision === 'ACCEPTED') return { ...who, allowed: true }
  const why = reason === undefined ? '' : `: ${reason}`
  return { ...who, allowed: false, reasonCode: 'AUTHZ_DENIED', reason: `${approvedBy} refused it${why}` }
}

function settledBefore(record: SignalDecisionRecord, asked: Settling['decision']): Settled {
  if (record.approvalRequired === true && record.decision === asked) return { record, isNew: false }
  const who = record.approvedBy === undefined ? '' : ` by ${record.approvedBy}`
  return fail('DECISION_SETTLED', `the decision is ${record.decision}${who}; it waits for nobody`, {
    details: { decision: record.decision },
  })
}

function unknown(id: string): never {
  return fail('SIGNAL_NOT_FOUND', `there is no decision '${id}'`)
}
