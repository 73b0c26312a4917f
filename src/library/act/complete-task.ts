/** A person's answer to a task: stored, and waited for up to 2 s until the run has taken it. */
import { completeTask, type CompletionAnswer } from '../../app/steer/manual-tasks.ts'
import type { TaskCompletion } from '../../app/inbox/task-completion.ts'
import { completionTaken } from '../../app/inbox/task-inbox-rows.ts'
import type { RunRow } from '../../ports/run-store.ts'
import type { Parts } from '../parts.ts'
import { RunLog } from '../read/run-log.ts'

export interface CompletingOptions {
  readonly wait?: boolean
  /** The authenticated person; without one, the name in the completion is believed. */
  readonly subject?: string
}

export async function completeHere(
  parts: Parts,
  row: RunRow,
  completion: TaskCompletion,
  { wait = true, subject }: CompletingOptions = {},
): Promise<CompletionAnswer> {
  const { services, advancer, engine, keys } = parts
  await new RunLog(parts, row).needUsable()
  const answer = await completeTask(services, advancer, keys, row, completion, subject)
  engine.wake(row.runKey)
  if (wait && answer.kind === 'accepted') await completionTaken(parts, row, completion)
  return answer
}
