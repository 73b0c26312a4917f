/** An open task as a server tells it, in the form that commands read. */
import type { TaskFor } from '../../../app/steer/tasks-for.ts'
import type { Task } from '../../../client/connect.ts'
import { msFromIso } from '../../../core/time.ts'

/** Its own fields as they come; instants are texts on the wire. */
export function openTaskOf(task: Task): TaskFor {
  const { executionId, actionId, openedAt, ...others } = task as Task & { readonly expiresAt?: string }
  const { expiresAt } = others
  return {
    ...others,
    runId: executionId,
    slot: actionId,
    openedAt: msFromIso(openedAt) ?? 0,
    ...(expiresAt === undefined ? {} : { expiresAt: msFromIso(expiresAt) ?? 0 }),
  } as unknown as TaskFor
}
