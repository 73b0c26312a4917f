/** What the log does not hold of a step that was sent to a queue: whether a worker has it, and whether one asks for it at all. */
import type { Unit } from '../../core/run/state/unit.ts'
import { slotOfUnit, stepAt } from '../../core/run/state/units.ts'
import type { WorkerCause } from '../../core/run/explain/worker-wait.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import { listWorkers } from '../work/list-workers.ts'
import type { RunLook } from './look-once.ts'

export async function workerCauses(store: RunLook, run: LoadedRun, unit: Unit): Promise<readonly WorkerCause[]> {
  const { graph } = run.plan
  if (unit.status !== 'RUNNING' || stepAt(graph, unit.step).dispatch?.queue === undefined) return []
  const { runKey, tenantId } = run.row
  const row = await store.findWork({ runKey, slot: slotOfUnit(graph, unit), attempt: unit.attempt })
  if (row === undefined) return []
  const { state, queue, handler, claim, offeredAt: since } = row
  if (state === 'claimed' && claim !== undefined) {
    const { worker, at, until } = claim
    return [{ kind: 'with-worker', queue, worker, since: at, until }]
  }
  if (state !== 'offered') return []
  const workers = await listWorkers(store, tenantId)
  const last = workers.find((one) => one.queues.includes(queue) && one.handlers.includes(handler))
  return [
    { kind: 'waiting-for-worker', queue, handler, since, ...(last === undefined ? {} : { askedAt: last.askedAt }) },
  ]
}
