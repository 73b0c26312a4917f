/**
 * A person's decision that is refused before it is stored. It is not written to the run's log, so that refused attempts do not
 * make the log grow (a denial leaves run and token as they are, MAN-07). It is written to the audit trail, like other refused
 * operations. A decision that was stored first is judged again where it is applied; its refusal is in the log.
 */
import { KeelsonError } from '../../core/problems/problem.ts'
import { isoFromMs } from '../../core/time.ts'
import type { RunRow } from '../../ports/run-store.ts'
import type { Services } from '../services.ts'

interface Attempt {
  readonly operation: 'completeTask' | 'approveRun'
  readonly actorId: string
}

/** The problems that refuse the person, and not the form of the request. */
const REFUSALS: ReadonlySet<string> = new Set([
  'AUTHZ_DENIED',
  'PERSON_NOT_NAMED',
  'TASK_NOT_OPEN',
  'TASK_RULE_UNKNOWN',
])

export async function notingRefusal<T>(
  { audit, clock, random }: Pick<Services, 'audit' | 'clock' | 'random'>,
  { runId, tenantId }: Pick<RunRow, 'runId' | 'tenantId'>,
  { operation, actorId }: Attempt,
  attempt: () => Promise<T>,
): Promise<T> {
  try {
    return await attempt()
  } catch (refused) {
    if (refused instanceof KeelsonError && REFUSALS.has(refused.code))
      await audit?.record({
        at: isoFromMs(clock.now()),
        policyDecisionId: random.uuid(),
        operation,
        decision: 'DENIED',
        reasonCode: refused.code,
        actorId,
        tenantId,
        target: runId,
      })
    throw refused
  }
}
