/** The plan of a stored run, before it is driven. A run whose plan is gone is set aside, as its driver would do. */
import { isForeign } from '../../core/engine/engine-type.ts'
import { KeelsonError } from '../../core/problems/problem.ts'
import type { RunRow } from '../../ports/run-store.ts'
import type { LoadedPlan } from '../plans/load.ts'
import { planOf } from './load-run.ts'
import { damageTrouble, needUsable, type TroubleParts } from './run-trouble.ts'
import { setAside } from './set-aside.ts'

export async function planOfRun(parts: TroubleParts, row: RunRow): Promise<LoadedPlan> {
  // It is not set aside for want of a plan: it never needed one here.
  if (isForeign(row)) await needUsable(parts, row)
  try {
    return await planOf(parts.plans, row)
  } catch (thrown) {
    if (!(thrown instanceof KeelsonError) || thrown.code !== 'RUN_QUARANTINED') throw thrown
    await setAside(parts, row.runKey, thrown.code, thrown)
    throw (await damageTrouble(parts, row)).error
  }
}
