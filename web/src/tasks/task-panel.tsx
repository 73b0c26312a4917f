/** One task: what it asks, what approving it releases, and why this person may not, said before one tries; then what came of it. */
import { useState, type ReactElement } from 'react'
import type { Task } from '../../../src/client/connect.ts'
import { runPath } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { useRun } from '../history/use-run.ts'
import type { Session } from '../server/session.ts'
import { Trouble } from '../shown/trouble.tsx'
import { Released } from './released.tsx'
import { TaskForm, type Answered } from './task-form.tsx'

export interface TaskPanelProps {
  readonly executionId: string
  readonly name: string
  /** Undefined: it is not open, or not this person's. */
  readonly task: Task | undefined
  readonly session: Session
}

export function TaskPanel({ executionId, name, task, session }: TaskPanelProps): ReactElement {
  const { run, lastSeq, error } = useRun(session, executionId)
  const [given, setAnswered] = useState<Answered>()
  // A task that was opened again is another one, with another token, and waits for its own answer.
  const answered = task?.token === undefined || task.token === given?.token ? given : undefined
  const title = task?.title ?? name
  return (
    <section className="task" aria-label={`Task ${title}`}>
      <h2>{title}</h2>
      <p className="quiet">
        {name} of <Link href={`${runPath(executionId)}?step=${encodeURIComponent(name)}`}>{executionId}</Link>{' '}
        {run === undefined ? '' : `${run.execution.planId} ${run.execution.planVersion}`}
      </p>
      {error === undefined ? null : <Trouble error={error} />}
      {task?.instructions === undefined ? null : <p className="instructions">{task.instructions}</p>}
      {answered === undefined ? null : (
        <p role="status" aria-label="Result">
          {answered.kind === 'repeat'
            ? `It was answered before: ${answered.outcome}.`
            : `Recorded: ${answered.outcome}.`}
        </p>
      )}
      {task === undefined ? (
        answered === undefined && <p className="quiet">This task is not open, or it is assigned to somebody else.</p>
      ) : (
        <>
          {task.mayNot === undefined ? null : (
            <p className="may-not" role="note">
              You may not complete it: <code className="code">{task.mayNot.code}</code> {task.mayNot.why}
            </p>
          )}
          {run === undefined ? null : <Released run={run} lastSeq={lastSeq} task={task} />}
          {task.token === undefined || answered !== undefined ? null : (
            <TaskForm key={task.token} token={task.token} session={session} onAnswered={setAnswered} />
          )}
        </>
      )}
    </section>
  )
}
