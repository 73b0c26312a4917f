/** Starts and cancels runs in the name of a schedule or a trigger, as a person's request does: through Keelson on their behalf. */
import { LOCAL_PRINCIPAL } from '../../app/principal.ts'
import type { RunStarter } from '../../app/schedules/start-occurrence.ts'
import { fail, KeelsonError } from '../../core/problems/problem.ts'
import { onBehalf } from '../behalf/on-behalf.ts'
import type { Keelson } from '../keelson/keelson.ts'
import { storeOf } from '../services-of.ts'

/** What a deleted tenant set up starts nothing any more. */
export async function needTenant(keelson: Keelson, tenantId: string): Promise<void> {
  const tenant = await storeOf(keelson).findTenant(tenantId)
  if (tenant?.deletedAt !== undefined) fail('TENANT_NOT_FOUND', `the tenant ${tenantId} was deleted`)
}

export function runStarter(keelson: Keelson): RunStarter {
  return {
    start: async ({ tenantId, actorId, setUpBy, source, planId, planVersion, input, requestId, runId }) => {
      await needTenant(keelson, tenantId)
      const own = onBehalf(keelson, { ...LOCAL_PRINCIPAL, tenantId, actorId, setUpBy }, source)
      const name = { planId, ...(planVersion === undefined ? {} : { planVersion }) }
      return (await own.start(name, input, { requestId, runId })).runId
    },
    cancel: async (tenantId, runId, actorId, reason) => {
      const run = await onBehalf(keelson, { ...LOCAL_PRINCIPAL, tenantId, actorId }).run(runId)
      try {
        await run.signal('CANCEL', { reason }, { actorId, wait: false })
      } catch (thrown) {
        // It ended by itself.
        if (!(thrown instanceof KeelsonError) || thrown.code !== 'RUN_TERMINAL') throw thrown
      }
    },
  }
}
