/** Starting an execution: at once answered, or waited for up to 30 s (API-01, API-02, API-10, API-11). */
import * as api from '../../../core/api/executions.ts'
import type { BodyOf } from '../../../core/api/contract.ts'
import { LIMITS } from '../../../core/limits.ts'
import { parsePlanRef, type PlanRef } from '../../../core/plan/compile/plan-ref.ts'
import { fail } from '../../../core/problems/problem.ts'
import { unwrap } from '../../../core/result.ts'
import { executionWord } from '../../../core/view/fold/vocabulary.ts'
import { compileAside } from '../../../library/plans/plan-catalogue.ts'
import { msFromIso } from '../../../core/time.ts'
import type { RunHandle } from '../../../library/act/run-handle.ts'
import type { StartOptions } from '../../../library/run-options.ts'
import type { Startable } from '../../../library/plans/load-plan.ts'
import type { PlanName } from '../../../library/plans/startable-plans.ts'
import { startOnce } from '../serve/idempotency.ts'
import { bind, type Asked, type BoundRoute, type Reply } from '../serve/bound-route.ts'
import { executionOf, pathOf, retryAfterOf } from '../wire/execution-view.ts'

type StartAsked = Asked<typeof api.startExecution> | Asked<typeof api.executeWorkflow>
type Body = BodyOf<typeof api.startExecution>

export const START_EXECUTIONS: readonly BoundRoute[] = [
  bind(api.startExecution, (asked) => start('startExecution', asked)),
  bind(api.executeWorkflow, (asked) => start('executeWorkflow', asked)),
]

async function start(route: string, asked: StartAsked): Promise<Reply> {
  const waitMs = waitOf(asked)
  needSize(asked, waitMs > 0 ? 'sync' : 'async')
  const { keelson, body, world, correlationId } = asked
  const given = await planOf(body, world.dev)
  const options = optionsOf(body, correlationId)
  return startOnce(asked as Asked, {
    route,
    start: (runId) =>
      keelson.start(given as never, body.input as never, { ...options, ...(runId === undefined ? {} : { runId }) }),
    isAwaited: waitMs > 0,
    answer: async (run) => (waitMs > 0 ? awaited(run, waitMs, asked) : accepted(run)),
  })
}

export function accepted(run: RunHandle): Reply {
  const { runId: executionId, row, existed } = run
  const { status, substatus } = row
  const checkUrl = pathOf(executionId)
  const state = executionWord({ status, ...(substatus === undefined ? {} : { substatus }) })
  return {
    status: 202,
    headers: { location: checkUrl, 'retry-after': '5' },
    body: { executionId, status, state, checkUrl, existed },
  }
}

/** In milliseconds; 0 for a start that is not waited for. */
function waitOf({ query, header }: StartAsked): number {
  if (query.mode === 'sync') return LIMITS.syncWaitMs
  const asked = /(?:^|[,;\s])wait\s*=\s*"?(\d+)"?(?:$|[,;\s])/i.exec(header('prefer') ?? '')?.[1]
  return query.mode === 'async' || asked === undefined ? 0 : Math.min(Number(asked) * 1_000, LIMITS.syncWaitMs)
}

/** Bytes as they were received. */
function needSize({ bodyBytes }: StartAsked, mode: 'sync' | 'async'): void {
  const limit = mode === 'sync' ? LIMITS.syncBodyBytes : LIMITS.asyncBodyBytes
  const actual = bodyBytes.length
  if (actual > limit)
    fail('PAYLOAD_TOO_LARGE', `the body has ${actual} bytes; at most ${limit} are allowed (mode ${mode})`, {
      details: { actual, limit, mode },
    })
}

async function awaited(run: RunHandle, waitMs: number, { keelson, gone, world }: StartAsked): Promise<Reply> {
  const { stopping } = world
  const signal = AbortSignal.any([gone, stopping, AbortSignal.timeout(waitMs)])
  const location = pathOf(run.runId)
  try {
    const { output, error } = await run.result({ signal })
    const fresh = await keelson.run(run.runId)
    const snapshot = await fresh.snapshot()
    const end = { ...(output === undefined ? {} : { output }), ...(error === undefined ? {} : { error }) }
    return {
      headers: { location, ...retryAfterOf(snapshot.status) },
      body: { ...executionOf(fresh.row, snapshot), ...end },
      tag: 'strong',
    }
  } catch (thrown) {
    if (!signal.aborted) throw thrown
    const why = stopping.aborted ? 'yet, and this server stops' : `within ${waitMs / 1_000} s`
    return fail('TIMEOUT', `run ${run.runId} has not ended ${why}; it goes on`, {
      details: { executionId: run.runId, location, retryAfterSeconds: 10 },
    })
  }
}

async function planOf(body: Body, dev: boolean): Promise<Startable | PlanName | PlanRef> {
  const { planId, planVersion, sha256, planRef, plan } = body
  const given = [planId, planRef, plan].filter((one) => one !== undefined)
  if (given.length !== 1) fail('BODY_INVALID', 'body: exactly one of planId, planRef and plan says what is run')
  if (planId === undefined && (planVersion !== undefined || sha256 !== undefined))
    fail('BODY_INVALID', 'body: planVersion and sha256 need the planId that they are of')
  // Only what says where a plan is: of a whole plan, or of one that says it was checked, the rest would be believed.
  if (planRef !== undefined) return unwrap(parsePlanRef(planRef))
  if (plan !== undefined) {
    if (!dev)
      fail('PLAN_INLINE_REFUSED', 'a plan in the body is only for development: publish it, and name it by planId')
    // Through the reader of plan text, whose problems have a place.
    return compileAside(JSON.stringify(plan))
  }
  return {
    planId: planId ?? '',
    ...(planVersion === undefined ? {} : { planVersion }),
    ...(sha256 === undefined ? {} : { sha256 }),
  }
}

function optionsOf(body: Body, correlationId: string): StartOptions {
  const { runRequestId, notBefore, queue, needsApproval } = body
  return {
    correlationId: body.correlationId ?? correlationId,
    ...(runRequestId === undefined ? {} : { requestId: runRequestId }),
    ...(notBefore === undefined ? {} : { notBefore: laterInstantOf(notBefore) }),
    ...(queue === undefined ? {} : { queue }),
    ...(needsApproval === true ? { autoApprove: false } : {}),
  }
}

/** No age, as filters take it: `24h` would be a day ago here. */
function laterInstantOf(text: string): number {
  return (
    msFromIso(text) ??
    fail('BODY_INVALID', 'body: notBefore is an instant such as 2031-01-31T09:00:00Z', { pointer: '/notBefore' })
  )
}
