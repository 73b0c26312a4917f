/** Manual tasks for people recognised over the network: what they may see of them, and their answers. */
import type { Caller } from '../../app/identity/caller.ts'
import { readTaskAddress } from '../../app/inbox/task-address.ts'
import type { TaskCompletion } from '../../app/inbox/task-completion.ts'
import { planOf } from '../../app/loaded/load-run.ts'
import type { CompletionAnswer } from '../../app/steer/manual-tasks.ts'
import { noTask, taskFor, tasksFor, type TaskFor } from '../../app/steer/tasks-for.ts'
import { isForeign } from '../../core/engine/engine-type.ts'
import type { RunRow } from '../../ports/run-store.ts'
import { completeHere } from '../act/complete-task.ts'
import { noneOfDamaged } from '../read/damaged-run.ts'
import type { Keelson } from '../keelson/keelson.ts'
import { partsOf } from '../services-of.ts'

export interface TaskQuery {
  readonly runId?: string
  readonly planId?: string
  readonly limit: number
}

export async function openTasks(
  keelson: Keelson,
  caller: Caller,
  { runId, planId, limit }: TaskQuery,
): Promise<readonly TaskFor[]> {
  const parts = partsOf(keelson)
  const viewer = viewerOf(caller)
  const found: TaskFor[] = []
  const filter = { status: ['RUNNING', 'PAUSED'] as const, ...(planId === undefined ? {} : { planId }) }
  const rows = runId === undefined ? keelson.runs(filter) : [(await keelson.run(runId)).row]
  for await (const row of rows) {
    if (planId !== undefined && row.planId !== planId) continue
    if (await hasTasks(keelson, row)) {
      const tasks: readonly TaskFor[] = await tasksFor(parts, row.runId, viewer).catch(noneOfDamaged)
      for (const task of tasks) found.push(task)
    }
    if (found.length >= limit) break
  }
  return found.slice(0, limit)
}

/** The log of a run whose plan asks nobody is not read. Nobody can complete a task of a run that was set aside. */
async function hasTasks(keelson: Keelson, row: RunRow): Promise<boolean> {
  if (row.quarantine !== undefined || isForeign(row)) return false
  const { graph } = await planOf(partsOf(keelson).advancer.plans, row)
  return graph.kinds.includes('manual')
}

export async function openTask(keelson: Keelson, caller: Caller, token: string): Promise<TaskFor> {
  return taskFor(partsOf(keelson), token, viewerOf(caller))
}

export interface TaskAnswer {
  readonly runId: string
  readonly answer: CompletionAnswer
}

/** `completion` gets the token as the run knows it. */
export async function completeFor(
  keelson: Keelson,
  caller: Caller,
  token: string,
  completion: (completionToken: string, runId: string) => TaskCompletion,
): Promise<TaskAnswer> {
  const parts = partsOf(keelson)
  const { runId, token: inner } = readTaskAddress(token) ?? noTask()
  const row = await parts.services.store.findRun({ tenantId: caller.tenantId, runId })
  if (row === undefined) return noTask()
  const answer = await completeHere(parts, row, completion(inner, runId), { subject: caller.actorId })
  return { runId, answer }
}

/** What it may do was checked where it asked. */
function viewerOf({ tenantId, actorId }: Caller): { tenantId: string; actorId: string; allowed: boolean } {
  return { tenantId, actorId, allowed: true }
}
