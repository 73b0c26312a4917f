/**
 * What a principal did and was refused, in the audit log of its tenant (AUT-12): every act, every denial, and every read of what leaves
 * the system whole; other reads are counted. It stands around all routes, so no handler can forget it. A record has ids and codes, and
 * never the token of a task.
 */
import type { AuditBook } from '../../../app/audit/audit-book.ts'
import type { AuditFact } from '../../../app/audit/audit-log.ts'
import type { Action } from '../../../core/authority/actions.ts'
import type { Contract } from '../../../core/api/contract.ts'
import { KeelsonError } from '../../../core/problems/problem.ts'
import type { ProblemCode } from '../../../core/problems/registry.ts'
import type { AuditType } from '../../../ports/audit-log.ts'
import type { Authorizer } from '../../../ports/authorizer.ts'
import { statusOf } from '../wire/status.ts'
import type { Asked, BoundRoute, Reply } from './bound-route.ts'

type Book = Pick<AuditBook, 'note' | 'count'>

/**
 * Refusals of the person, or of what is not theirs; at the edge both look like absence (AUT-09, AUT-10). Any other failure met somebody who
 * had the right: its record says GRANTED, and by its code what came between.
 */
const DENIED: ReadonlySet<number> = new Set([401, 403, 404])

function isDenial(code: ProblemCode): boolean {
  return code === 'AUTHZ_REASON_REQUIRED' || DENIED.has(statusOf(code))
}

export function auditedRoute(book: Book, route: BoundRoute): BoundRoute {
  const { contract, handle } = route
  if (contract.access === 'anyone' || contract.access === 'signature') return route
  const isAct = contract.method !== 'GET' || KEPT_READS.has(contract.access)
  return {
    contract,
    handle: async (asked) => {
      const { tenantId } = asked.caller
      const fact = factOf(contract, asked)
      const count = (): void => book.count(tenantId, { type: 'API_CALL', actorId: fact.actorId, action: fact.action })
      if (!isAct) count()
      try {
        const reply = await handle(asked)
        if (isAct && reply.isQuiet === true) count()
        else if (isAct) await book.note(tenantId, { ...fact, decision: 'GRANTED', ...saidBy(reply) })
        return reply
      } catch (thrown) {
        const failed = failureOf(thrown)
        if (isAct || failed.decision === 'DENIED') await book.note(tenantId, { ...fact, ...failed })
        throw thrown
      }
    },
  }
}

/** For questions whose answer no route records: whoever lacks the right to a route at all does not come as far as its handler. */
export function auditedAuthorizer(book: Book, authorizer: Authorizer): Authorizer {
  return {
    evaluate: async (request) => {
      const verdict = await authorizer.evaluate(request)
      const { actor, tenantId, action, resource, signal, correlationId } = request
      if (!verdict.allowed && signal === undefined)
        await book.note(tenantId, {
          type: 'AUTH_DECISION',
          actorId: actor.userId,
          action,
          decision: 'DENIED',
          reasonCode: 'AUTHZ_DENIED',
          policyDecisionId: verdict.policyDecisionId,
          ...(resource === undefined ? {} : { target: resource }),
          ...(correlationId === undefined ? {} : { correlationId }),
        })
      return verdict
    },
  }
}

/** Reads of a whole: what is taken out of the system. */
const KEPT_READS: ReadonlySet<string> = new Set<Action>(['ARTIFACT_READ', 'AUDIT_READ'])

const TYPES: Readonly<Partial<Record<Action, AuditType>>> = {
  SIGNAL_SEND: 'SIGNAL_SENT',
  ARTIFACT_READ: 'ARTIFACT_ACCESSED',
  RBAC_ROLE_ASSIGN: 'CONFIG_CHANGED',
  PLAN_CREATE: 'CONFIG_CHANGED',
  PLAN_UPDATE: 'CONFIG_CHANGED',
  PLAN_DELETE: 'CONFIG_CHANGED',
}

function factOf(contract: Contract, { caller, params, correlationId }: Asked): AuditFact {
  const action = contract.access as Action
  const isRead = contract.method === 'GET'
  const target = targetOf(params)
  return {
    type: TYPES[action] ?? (isRead ? 'API_CALL' : 'STATE_MUTATION'),
    actorId: caller.actorId,
    action,
    call: contract.id,
    ...(target === undefined ? {} : { target }),
    correlationId,
  }
}

/** Ids that stand in an address. A token is none of them. */
const IDS = ['executionId', 'decisionId', 'keyId', 'planId', 'scheduleId', 'trigger', 'operationId'] as const

function targetOf(params: unknown): string | undefined {
  const given = (params ?? {}) as Readonly<Record<string, unknown>>
  const found = IDS.map((name) => given[name]).find((id) => typeof id === 'string')
  return found as string | undefined
}

/** What only the answer knows: the execution that was started, the decision on a signal. */
function saidBy({ body, target, because }: Reply): Pick<AuditFact, 'target' | 'policyDecisionId' | 'because'> {
  const { executionId, policyDecisionId, keyId } = (body ?? {}) as Readonly<Record<string, unknown>>
  const id = [target, executionId, keyId].find((one) => typeof one === 'string')
  return {
    ...(typeof id === 'string' ? { target: id } : {}),
    ...(typeof policyDecisionId === 'string' ? { policyDecisionId } : {}),
    ...(because === undefined ? {} : { because }),
  }
}

function failureOf(thrown: unknown): Pick<AuditFact, 'decision' | 'reasonCode' | 'policyDecisionId'> {
  const known = thrown instanceof KeelsonError ? thrown.problems[0] : undefined
  const code = known?.code ?? 'INTERNAL'
  const id = known?.details?.['policyDecisionId']
  return {
    decision: isDenial(code) ? 'DENIED' : 'GRANTED',
    reasonCode: code,
    ...(typeof id === 'string' ? { policyDecisionId: id } : {}),
  }
}
