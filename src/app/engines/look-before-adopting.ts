/**
 * Examines a run before it is adopted: reads its plan and asks for its handlers. That may kill the process: so the run
 * is taken first, the work is noted, and a run that killed its processes in this way is set aside.
 */
import { fail, KeelsonError } from '../../core/problems/problem.ts'
import { engineTypeOf, isOutside } from '../../core/engine/engine-type.ts'
import type { RunRow } from '../../ports/run-store.ts'
import type { RunAdvancer } from '../advance/advance-run.ts'
import type { Engines } from './engines.ts'
import { KILLS_PROCESS } from '../../core/engine/last-words.ts'
import { noting, refuseFatal } from '../deaths/last-words.ts'
import type { Services } from '../services.ts'
import { setAside } from '../loaded/set-aside.ts'

interface Parts {
  readonly services: Services
  readonly advancer: RunAdvancer
  readonly engine: Engines
  readonly owner: string
}

/** Outside engines have no leases: any of their workers may look. */
const hasLeases = ({ engineType }: RunRow): boolean => !isOutside(engineTypeOf(engineType))

export async function lookBeforeAdopting<T>(parts: Parts, row: RunRow, look: () => Promise<T>): Promise<T> {
  const { services, advancer, engine, owner } = parts
  const { store } = services
  if (engine.drives(row.runKey) || !hasLeases(row)) return look()
  const held = await engine.hold(row)
  if (held === undefined) fail('RUN_DRIVEN_ELSEWHERE', `run ${row.runId} is driven by another process`)
  try {
    refuseFatal(held)
    return await noting(services, held, 'reading its plan', look)
  } catch (thrown) {
    await store.releaseLease(row.runKey, owner)
    if (thrown instanceof KeelsonError && thrown.code === KILLS_PROCESS)
      await setAside({ store, plans: advancer.plans }, row.runKey, KILLS_PROCESS, thrown)
    throw thrown
  }
}
