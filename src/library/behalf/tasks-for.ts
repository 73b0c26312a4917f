/** Manual tasks for people recognised over the network: what they may see of them, and their answers. */
import type { Caller } from '../../app/identity/caller.ts'
import { readTaskAddress } from '../../app/inbox/task-address.ts'
import type { TaskCompletion } from '../../app/inbox/task-completion.ts'
import type { CompletionAnswer } from '../../app/steer/manual-tasks.ts'
import type { TaskViewer } from '../../app/steer/manual-tasks.ts'
import { noTask, taskFor, type TaskFor } from '../../app/steer/tasks-for.ts'
import { LIMITS } from '../../core/limits.ts'
import { completeHere } from '../act/complete-task.ts'
import type { Keelson } from '../keelson/keelson.ts'
import { partsOf } from '../services-of.ts'

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
  const told = { ...completion(inner, runId), actorRoles: toldRoles(caller) }
  const answer = await completeHere(parts, row, told, { subject: caller.actorId })
  return { runId, answer }
}

/** What it may do was checked where it asked. */
export function viewerOf(caller: Caller): TaskViewer {
  const { tenantId, actorId } = caller
  return { tenantId, actorId, allowed: true, roles: toldRoles(caller) }
}

/** For rules that ask for a specialist: as this server recognised the person, and never as the person says. */
function toldRoles({ roles, specialties = [] }: Caller): readonly string[] {
  return [...new Set([...roles, ...specialties])].slice(0, LIMITS.actorRoles)
}
