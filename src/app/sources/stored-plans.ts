/** Plans that were published or run here: `plan:sha256:<hash>`. A plan of another tenant counts as missing. */
import { hashOfUri } from '../../core/plan/format/plan-uri.ts'
import { fail } from '../../core/problems/problem.ts'
import type { PlanStore } from '../../ports/plan-store.ts'
import type { PlanTransport } from '../../ports/plan-transport.ts'

export function storedPlans(store: Pick<PlanStore, 'getPlan'>): PlanTransport {
  return {
    scheme: 'plan',
    fetch: async ({ tenantId, uri }) => {
      const sha256 = hashOfUri(uri)
      if (sha256 === undefined) return fail('PLAN_URI_NOT_ALLOWED', `'${uri}' is not plan:sha256:<hash>`)
      const text = await store.getPlan(tenantId, sha256)
      return text === undefined ? undefined : Buffer.from(text)
    },
  }
}
