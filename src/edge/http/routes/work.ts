/** Remote workers of the caller's tenant: they ask for steps, keep them and report them. */
import { randomBytes } from 'node:crypto'
import { claimWork, type HandedWork } from '../../../app/workers/claim-work.ts'
import { heartbeat } from '../../../app/workers/keep-work.ts'
import { listWorkers } from '../../../app/work/list-workers.ts'
import type { Working } from '../../../app/workers/working.ts'
import * as api from '../../../core/api/work.ts'
import { isGranted } from '../../../core/authority/actions.ts'
import { LIMITS } from '../../../core/limits.ts'
import { fail } from '../../../core/problems/problem.ts'
import { isoFromMs } from '../../../core/time.ts'
import { reportFor, workingFor } from '../../../library/behalf/work-for.ts'
import { partsOf } from '../../../library/services-of.ts'
import type { ListedWork } from '../../../ports/work.ts'
import { bind, type Asked, type BoundRoute } from '../serve/bound-route.ts'
import { isStillKnown } from '../stream/still-known.ts'

const TOKEN_BYTES = 32
const PAGE = 100

type Door = Pick<Asked, 'keelson' | 'caller' | 'world' | 'correlationId'>

/** Whoever the roles let have secrets is asked about as everything else is: a policy of one's own may say no. */
async function working({ keelson, caller, world, correlationId }: Door): Promise<Working> {
  const { actorId: userId, roles, tenantId } = caller
  const action = 'WORK_SECRETS'
  const asked = { actor: { userId, roles }, tenantId, action, correlationId } as const
  const maySecrets = isGranted(action, roles) && (await world.door.evaluate(asked)).allowed
  return workingFor(keelson, caller, maySecrets)
}

function shown({ runId, stepId, deadline, leaseUntil, ...rest }: HandedWork): object {
  const instants = { deadline: isoFromMs(deadline), leaseUntil: isoFromMs(leaseUntil) }
  return { ...rest, executionId: runId, step: stepId, ...instants }
}

function shownWork({ runId, offeredAt, claim, ...rest }: ListedWork): object {
  const told = { ...rest, executionId: runId, offeredAt: isoFromMs(offeredAt) }
  if (claim === undefined) return told
  return { ...told, worker: claim.worker, claimedAt: isoFromMs(claim.at), leaseUntil: isoFromMs(claim.until) }
}

export const WORK: readonly BoundRoute[] = [
  bind(api.claimWork, async (asked) => {
    const { max = 1, waitMs = 0, leaseMs = LIMITS.workLeaseMs, worker = asked.caller.actorId, ...wanted } = asked.body
    const gone = AbortSignal.any([asked.gone, asked.world.stopping])
    const token = (): string => randomBytes(TOKEN_BYTES).toString('base64url')
    const isKnown = (): Promise<boolean> => isStillKnown(asked)
    const given = { ...wanted, worker, max, waitMs, leaseMs, token, gone, isKnown }
    const work = await claimWork(await working(asked), given)
    const target = work.map(({ runId }) => runId).join(' ')
    return { body: { work: work.map(shown) }, ...(work.length === 0 ? { isQuiet: true } : { target }) }
  }),
  bind(api.heartbeatWork, async (asked) => {
    const { answer, leaseUntil } = await heartbeat(await working(asked), asked.params.claim)
    return { body: { answer, leaseUntil: isoFromMs(leaseUntil) }, isQuiet: true }
  }),
  bind(api.reportWork, async (asked) => {
    const { outcome, error } = asked.body
    if ((outcome === 'failed') !== (error !== undefined))
      fail('BODY_INVALID', `body: 'failed' has an 'error', and 'completed' has none`)
    const by = await working(asked)
    const { recorded, repeated, logKept, runId } = await reportFor(asked.keelson, by, asked.params.claim, asked.body)
    return { body: { recorded, repeated, ...(logKept === undefined ? {} : { logKept }) }, target: runId }
  }),
  bind(api.listWork, async ({ keelson, caller, query }) => {
    const work = await partsOf(keelson).services.store.listWork(caller.tenantId, query.limit ?? PAGE)
    return { body: { work: work.map(shownWork) } }
  }),
  bind(api.listWorkers, async ({ keelson, caller }) => {
    const workers = await listWorkers(partsOf(keelson).services.store, caller.tenantId)
    return { body: { workers: workers.map(({ askedAt, ...rest }) => ({ ...rest, askedAt: isoFromMs(askedAt) })) } }
  }),
]
