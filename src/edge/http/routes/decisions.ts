/** Decisions that wait for a second person, and what that person says (AUT-04). */
import * as api from '../../../core/api/acts.ts'
import { decisionsFor, settleFor } from '../../../library/behalf/act-for.ts'
import { bind, type Asked, type BoundRoute, type Reply } from '../serve/bound-route.ts'
import { decisionView } from '../wire/decision-view.ts'

const PAGE = 50

type SettleAsked = Asked<typeof api.acceptDecision> | Asked<typeof api.refuseDecision>

export const DECISIONS: readonly BoundRoute[] = [
  bind(api.listDecisions, async ({ keelson, caller, query }) => {
    const { state, limit = PAGE, cursor } = query
    const page = { limit, ...(cursor === undefined ? {} : { cursor }) }
    const { decisions, next } = await decisionsFor(keelson, caller.tenantId, state === undefined ? {} : { state }, page)
    return { body: { decisions: decisions.map((one) => decisionView(one)), ...(next === undefined ? {} : { next }) } }
  }),
  bind(api.acceptDecision, (asked) => settled(asked, 'ACCEPTED')),
  bind(api.refuseDecision, (asked) => settled(asked, 'REJECTED')),
]

async function settled(asked: SettleAsked, decision: 'ACCEPTED' | 'REJECTED'): Promise<Reply> {
  const { keelson, caller, world, params, body } = asked
  const { reason } = body
  const settling = { decision, ...(reason === undefined ? {} : { reason }) }
  const sent = await settleFor(keelson, { caller, authorizer: world.authorizer }, params.decisionId, settling)
  return { body: sent.record === undefined ? {} : decisionView(sent.record, sent.startedRunId) }
}
