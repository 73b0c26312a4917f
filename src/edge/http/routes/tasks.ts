/** Manual tasks over HTTP: what waits for whoever asks, and their answers (MAN-02 … MAN-07). */
import type { TaskCompletion } from '../../../app/inbox/task-completion.ts'
import { readCompletion } from '../../../app/steer/manual-tasks.ts'
import type { TaskFor } from '../../../app/steer/tasks-for.ts'
import * as api from '../../../core/api/tasks.ts'
import type { BodyOf } from '../../../core/api/contract.ts'
import { fail } from '../../../core/problems/problem.ts'
import { isoFromMs } from '../../../core/time.ts'
import { openTasks } from '../../../library/behalf/task-page.ts'
import { completeFor, openTask } from '../../../library/behalf/tasks-for.ts'
import { bind, type BoundRoute } from '../serve/bound-route.ts'

const MOST = 1_000

export const TASKS: readonly BoundRoute[] = [
  bind(api.listTasks, async ({ keelson, caller, query }) => {
    const { executionId, planId, limit = MOST, cursor } = query
    const { tasks, next } = await openTasks(keelson, caller, {
      limit,
      ...(executionId === undefined ? {} : { runId: executionId }),
      ...(planId === undefined ? {} : { planId }),
      ...(cursor === undefined ? {} : { cursor }),
    })
    return { body: { tasks: tasks.map(shown), ...(next === undefined ? {} : { next }) } }
  }),
  bind(api.getTask, async ({ keelson, caller, params }) => ({
    body: shown(await openTask(keelson, caller, params.token)),
  })),
  bind(api.completeTask, async ({ keelson, caller, params, body }) => {
    const { answer, runId: target } = await completeFor(keelson, caller, params.token, (inner, runId) =>
      completionOf(body, { given: params.token, inner, runId, actorId: caller.actorId }),
    )
    if (answer.kind === 'conflict')
      fail('TASK_ANSWERED', `the task was answered before: ${answer.outcome ?? 'its answer was erased'}`, {
        details: { outcome: answer.outcome },
      })
    return { target, body: answer }
  }),
]

function shown(task: TaskFor): object {
  const { runId, slot, openedAt, expiresAt, ...rest } = task
  return {
    ...rest,
    executionId: runId,
    actionId: slot,
    openedAt: isoFromMs(openedAt),
    ...(expiresAt === undefined ? {} : { expiresAt: isoFromMs(expiresAt) }),
  }
}

interface Known {
  /** The token as it was given out, and as the run knows it. */
  readonly given: string
  readonly inner: string
  readonly runId: string
  readonly actorId: string
}

/** As other systems publish it (MAN-03), or only what the path and the principal do not say already. */
function completionOf(body: BodyOf<typeof api.completeTask>, known: Known): TaskCompletion {
  const { schemaVersion, executionId, completionToken = known.given, result, ...rest } = body
  if (completionToken !== known.given && completionToken !== known.inner)
    fail('TASK_COMPLETION_INVALID', 'the completion has another token than its address')
  if (executionId !== undefined && executionId !== known.runId)
    fail('TASK_COMPLETION_INVALID', `the completion is of run ${executionId}, not of ${known.runId}`)
  const said = { ...rest, completionToken: known.inner }
  const given = result === undefined ? {} : { result }
  if (schemaVersion !== undefined) return { ...readCompletion({ ...said, schemaVersion }), ...given }
  const { completedAtIso: _at, actorUserId = known.actorId, ...completion } = said
  return { ...completion, actorUserId, ...given }
}
