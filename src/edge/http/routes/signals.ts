/** Signals over HTTP: sent by whoever asks, and what was decided on them (SIG-04, AUT-01). */
import * as api from '../../../core/api/acts.ts'
import { decisionFor, decisionsFor, signalFor } from '../../../library/behalf/act-for.ts'
import { bind, type BoundRoute } from '../serve/bound-route.ts'
import { decisionView, loggedDecisionView } from '../wire/decision-view.ts'

const MOST = 1_000

export const SIGNALS: readonly BoundRoute[] = [
  bind(api.sendSignal, async ({ keelson, caller, world, params, body }) => {
    const { signalId, signalType, payload = {} } = body
    const asking = { caller, authorizer: world.authorizer }
    const { run, ...sent } = await world.metrics.signalled(signalType, async () => {
      const found = await keelson.run(params.executionId)
      return { run: found, ...(await signalFor(keelson, asking, found.row, { signalId, signalType, payload })) }
    })
    const status = sent.kind === 'pending' || sent.kind === 'approval' ? 202 : 200
    const { record, startedRunId } = sent
    if (record !== undefined) return { status, body: decisionView(record, startedRunId) }
    const logged = await run.signalDecision(signalId)
    return { status, body: loggedDecisionView(run.runId, logged) }
  }),
  bind(api.listSignals, async ({ keelson, caller, params }) => {
    const run = await keelson.run(params.executionId)
    const { runId } = run
    const { decisions } = await decisionsFor(keelson, caller.tenantId, { runId }, { limit: MOST })
    const known = new Set(decisions.map(({ signalId }) => signalId))
    const earlier = (await run.signalDecisions()).filter(({ signalId }) => !known.has(signalId))
    return {
      body: {
        decisions: [
          ...earlier.map((one) => loggedDecisionView(runId, one)),
          ...decisions.map((one) => decisionView(one)),
        ],
      },
    }
  }),
  bind(api.getSignal, async ({ keelson, params }) => {
    const run = await keelson.run(params.executionId)
    const record = await decisionFor(keelson, run.row, params.signalId)
    if (record !== undefined) return { body: decisionView(record) }
    return { body: loggedDecisionView(run.runId, await run.signalDecision(params.signalId)) }
  }),
]
