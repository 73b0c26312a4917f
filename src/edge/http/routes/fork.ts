/** A new execution from the results of an ended one; `preview` says what it would do, and starts nothing. */
import * as api from '../../../core/api/acts.ts'
import { fail } from '../../../core/problems/problem.ts'
import { needForkRight } from '../../../library/behalf/fork-for.ts'
import type { ForkOptions } from '../../../library/run-options.ts'
import { bind, type Asked, type BoundRoute } from '../serve/bound-route.ts'
import { startOnce } from '../serve/idempotency.ts'
import { accepted } from './start-executions.ts'

type ForkAsked = Asked<typeof api.forkExecution>

export const FORK: readonly BoundRoute[] = [
  bind(api.forkExecution, async (asked) => {
    const { keelson, caller, world, params, query, body, correlationId } = asked
    const { executionId } = params
    const options = optionsOf(body)
    if (query.preview === true) {
      const { again, ...preview } = await keelson.previewFork(executionId, options)
      return { body: { ...preview, again: Object.fromEntries(again) } }
    }
    // Of another tenant's run nobody learns more than that it is not theirs.
    const { runId } = await keelson.run(executionId)
    await needForkRight({ caller, authorizer: world.authorizer }, runId, correlationId)
    const repeat = body.repeatIrreversible === undefined ? {} : { repeatIrreversible: body.repeatIrreversible }
    return startOnce(asked as Asked, {
      route: `forkExecution ${executionId}`,
      // The same id forks once: a process that took over the key finds the fork of the one that died.
      start: (signalId) =>
        keelson.fork(executionId, { ...options, ...repeat, ...(signalId === undefined ? {} : { signalId }) }),
      isAwaited: false,
      answer: async (run) => {
        const reply = accepted(run)
        return { ...reply, body: { ...(reply.body as object), originalExecutionId: executionId } }
      },
    })
  }),
]

function optionsOf(body: ForkAsked['body']): ForkOptions {
  const { from, atSeq, newChildren, planId, planVersion, sha256 } = body
  if (planId === undefined && (planVersion !== undefined || sha256 !== undefined))
    fail('BODY_INVALID', 'body: planVersion and sha256 need the planId that they are of')
  const version = planVersion === undefined ? {} : { planVersion }
  const hash = sha256 === undefined ? {} : { sha256 }
  return {
    ...(from === undefined ? {} : { from }),
    ...(atSeq === undefined ? {} : { atSeq }),
    ...(newChildren === undefined ? {} : { newChildren }),
    // `null` is an input too.
    ...('input' in body ? { input: body.input } : {}),
    ...(planId === undefined ? {} : { plan: { planId, ...version, ...hash } }),
  }
}
