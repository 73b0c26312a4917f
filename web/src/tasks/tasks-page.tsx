/** What waits for a person, live; the chosen task, which the address names, beside the list. */
import type { ReactElement } from 'react'
import type { Task } from '../../../src/client/connect.ts'
import { taskPath, useAddress } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { WaitingDecisions } from '../acts/waiting-decisions.tsx'
import { session as sessions } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { Trouble } from '../shown/trouble.tsx'
import { useClock } from '../shown/use-clock.ts'
import { ago, duration, shortId } from '../shown/words.ts'
import { TaskPanel } from './task-panel.tsx'
import { useTasks } from './use-tasks.ts'

const NONE: readonly Task[] = []

export function TasksPage(): ReactElement {
  const session = useWatched(sessions)
  const { query } = useAddress()
  const { value, error } = useTasks()
  const tasks = value ?? NONE
  const now = useClock(true)
  const [run, name] = [query.get('run'), query.get('task')]
  const chosen = tasks.find(({ executionId, actionId }) => executionId === run && actionId === name)
  return (
    <main className="tasks">
      <h1>Tasks</h1>
      {error === undefined ? null : <Trouble error={error} />}
      {value?.length === 0 ? (
        <div className="empty">
          <p>Nothing waits for a person.</p>
          <p className="quiet">A step of a plan asks for one:</p>
          <pre>{'- { id: sign, manual: { title: Sign the order, rule: MakerChecker } }'}</pre>
        </div>
      ) : null}
      <WaitingDecisions moved={tasks} />
      <ul className="task-list" aria-label="Open tasks">
        {tasks.map((task) => (
          <TaskRow key={`${task.executionId} ${task.actionId}`} task={task} isChosen={task === chosen} now={now} />
        ))}
      </ul>
      {tasks.length > 0 && (run === null || name === null) ? (
        <p className="quiet choose-task">Choose a task to see what approving it releases, and to answer it.</p>
      ) : null}
      {run === null || name === null || value === undefined ? null : (
        <TaskPanel key={`${run} ${name}`} executionId={run} name={name} task={chosen} session={session} />
      )}
    </main>
  )
}

interface TaskRowProps {
  readonly task: Task
  readonly isChosen: boolean
  readonly now: number
}

function TaskRow({ task, isChosen, now }: TaskRowProps): ReactElement {
  const { executionId, planId, actionId, title, openedAt, expiresAt, whoMay, mayNot, assignees } = task
  const due = expiresAt === undefined ? undefined : Date.parse(expiresAt) - now
  return (
    <li>
      <Link href={taskPath(executionId, actionId)} aria-current={isChosen ? 'true' : undefined}>
        {title}
      </Link>{' '}
      <span className="quiet">
        {planId}, step {actionId} of <code title={executionId}>{shortId(executionId)}</code>, since{' '}
        <time dateTime={openedAt} title={openedAt}>
          {ago(Date.parse(openedAt), now)}
        </time>
        {due === undefined ? null : (
          <time dateTime={expiresAt} title={expiresAt}>
            {due > 0 ? `, due in ${duration(due)}` : ', overdue'}
          </time>
        )}
        {assignees === undefined ? '' : `, for ${assignees.join(', ')}`}
        {whoMay === undefined ? '' : `, ${whoMay}`}
      </span>
      {mayNot === undefined ? null : <p className="may-not">not by you: {mayNot.why}</p>}
    </li>
  )
}
