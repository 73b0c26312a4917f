/** Runs that are admitted and have not started: in which order they will, what each waits for, what would free a place, and who may say so. */
import { useState, type ReactElement } from 'react'
import { PLANS, pathOf, setQuery } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { useWhyNot } from '../server/may.ts'
import { Trouble } from '../shown/trouble.tsx'
import { useClock } from '../shown/use-clock.ts'
import { plural } from '../shown/words.ts'
import { limitWords } from './limit-words.ts'
import { QueueAct, type AskedAct } from './queue-act.tsx'
import { queueGroups } from './queue-groups.ts'
import { QueueRows } from './queue-rows.tsx'
import { QUEUE_MOST, QUEUE_PAGE, useMost, useQueue, type Queue } from './use-queue.ts'
import '../styles/operate.css'
import '../styles/queue.css'

export function QueuePage(): ReactElement {
  const most = useMost()
  const { value, error, again } = useQueue(most)
  const [asked, setAsked] = useState<AskedAct>()
  const [told, setTold] = useState('')
  return (
    <main className="operate queue">
      <header>
        <h1>Queue</h1>
        <p className="quiet">
          Runs that were taken and have not started. What they share is under{' '}
          <Link href={pathOf('pools')}>Pools and limits</Link>.
        </p>
      </header>
      {error === undefined ? null : <Trouble error={error} retry={again} />}
      <p role="status" aria-label="What came of it" className="told">
        {told}
      </p>
      {value === undefined ? (
        error === undefined ? (
          <QueueShape />
        ) : null
      ) : value.runs.length === 0 ? (
        <NoQueue />
      ) : (
        <Groups queue={value} onAct={setAsked} />
      )}
      {value === undefined || value.runs.length < most ? null : <More most={most} total={value.total} />}
      {asked === undefined ? null : (
        <QueueAct
          asked={asked}
          onTold={(words) => {
            setTold(words)
            again()
          }}
          onClose={() => setAsked(undefined)}
        />
      )}
    </main>
  )
}

interface GroupsProps {
  readonly queue: Queue
  readonly onAct: (act: AskedAct) => void
}

function Groups({ queue, onAct }: GroupsProps): ReactElement {
  const now = useClock(true)
  const { approval, limits, time, start } = queueGroups(queue.runs)
  const mayNotApprove = useWhyNot('RUN_APPROVE')
  const mayNotStart = useWhyNot('RUN_START')
  return (
    <>
      <QueueRows
        title="Wait for approval"
        runs={approval}
        now={now}
        onAct={onAct}
        acts={['approve', 'reject']}
        about="Each starts only after a person approved it."
        mayNot={mayNotApprove}
      />
      {limits.map(({ limit, runs }) => (
        <QueueRows
          key={limit}
          title={`Wait for the limit ${limit}`}
          runs={runs}
          now={now}
          onAct={onAct}
          acts={['start']}
          about={limitWords(queue.limits.find(({ name }) => name === limit))}
          mayNot={mayNotStart}
        />
      ))}
      <QueueRows
        title="Wait for their time"
        runs={time}
        now={now}
        onAct={onAct}
        acts={[]}
        about="Each starts by itself at its instant, if its limits have room then."
      />
      <QueueRows
        title="Wait to be started"
        runs={start}
        now={now}
        onAct={onAct}
        acts={['start']}
        about="Nothing holds them back: a server with the duty clockwork starts them in this order, or you do."
        mayNot={mayNotStart}
      />
    </>
  )
}

function NoQueue(): ReactElement {
  return (
    <div className="empty">
      <p>Nothing waits to start.</p>
      <p className="quiet">
        A run waits here when a <Link href={`${pathOf('pools')}?limit=new`}>limit for starts</Link> has no room, until
        its instant, or for approval. <Link href={PLANS}>Start a plan</Link>, or from a terminal:
      </p>
      <pre>keelson run plan.yaml --queue --needs-approval --server {window.location.origin}</pre>
    </div>
  )
}

function More({ most, total }: { readonly most: number; readonly total: number }): ReactElement {
  return (
    <p className="quiet">
      The first {plural(most, 'run')} of {total.toLocaleString('en')}, oldest first.{' '}
      {most >= QUEUE_MOST ? null : (
        <button type="button" onClick={() => setQuery({ most: String(Math.min(QUEUE_MOST, most + QUEUE_PAGE)) })}>
          More
        </button>
      )}
    </p>
  )
}

function QueueShape(): ReactElement {
  return (
    <div className="shapes" role="status" aria-label="Asking who waits …">
      <span className="shape-line" />
      <span className="shape-line" />
      <span className="shape-line" />
    </div>
  )
}
