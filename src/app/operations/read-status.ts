/**
 * A run's status: a fold of its log, whatever state its engine is in (ENG-10). Only the row of an archived run is left.
 */
import { statusSnapshot, type RunStatusSnapshot } from '../../core/engine/run-status.ts'
import { fail } from '../../core/problems/problem.ts'
import { isoFromMs } from '../../core/time.ts'
import type { RunRow } from '../../ports/run-store.ts'
import type { RunAdvancer } from '../advance/advance-run.ts'
import { readSnapshot } from '../project/read-snapshot.ts'
import { needUsable } from '../loaded/run-trouble.ts'
import type { Services } from '../services.ts'

export interface StatusParts {
  readonly services: Pick<Services, 'store'>
  readonly advancer: Pick<RunAdvancer, 'plans'>
}

export async function readStatus({ services, advancer }: StatusParts, row: RunRow): Promise<RunStatusSnapshot> {
  if (row.archivedAt !== undefined) return statusOfRow(row)
  await needUsable({ store: services.store, plans: advancer.plans }, row)
  const found = await readSnapshot(services.store, advancer.plans, row)
  if (!found.ok) return fail('RUN_QUARANTINED', `the log of run ${row.runId} cannot be read`)
  return statusSnapshot(found.value ?? fail('RUN_NOT_FOUND', `no run ${row.runId}`))
}

function statusOfRow({ runId, status, startedAt, endedAt }: RunRow): RunStatusSnapshot {
  return {
    runId,
    status,
    ...(startedAt === undefined ? {} : { startedAt: isoFromMs(startedAt) }),
    ...(endedAt === undefined ? {} : { completedAt: isoFromMs(endedAt) }),
  }
}
