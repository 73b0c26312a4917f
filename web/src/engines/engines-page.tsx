/** Who carries runs out: engines, remote workers and their queues, and what none of them can run. */
import type { ReactElement } from 'react'
import { useWhyNot } from '../server/may.ts'
import { Trouble } from '../shown/trouble.tsx'
import { useClock } from '../shown/use-clock.ts'
import { EngineList } from './engine-list.tsx'
import { Nobody } from './nobody.tsx'
import { QueueList } from './queue-list.tsx'
import { useEngines, type Engines } from './use-engines.ts'
import { WorkerList } from './worker-list.tsx'
import { workQueues } from './work-queues.ts'
import '../styles/operate.css'
import '../styles/queue.css'

export function EnginesPage(): ReactElement {
  const { value, error, again } = useEngines()
  return (
    <main className="operate engines-page">
      <header>
        <h1>Engines</h1>
        <p className="quiet">Who carries runs out, and what waits for somebody who can.</p>
      </header>
      {error === undefined ? null : <Trouble error={error} retry={again} />}
      {value === undefined ? (
        error === undefined ? (
          <div className="shapes" role="status" aria-label="Asking who carries runs out …">
            <span className="shape-line" />
            <span className="shape-line" />
          </div>
        ) : null
      ) : (
        <Told told={value} />
      )}
    </main>
  )
}

function Told({ told }: { readonly told: Engines }): ReactElement {
  const now = useClock(true)
  const mayNotSeeEngines = useWhyNot('TENANT_READ')
  const queues = workQueues(told.work, told.workers, now)
  return (
    <>
      <Nobody told={told} queues={queues} now={now} />
      {mayNotSeeEngines === undefined ? (
        <EngineList engines={told.engines} />
      ) : (
        <p className="hint">The engines are not for you to see. {mayNotSeeEngines}</p>
      )}
      <QueueList queues={queues} read={told.work.length} now={now} />
      <WorkerList workers={told.workers} work={told.work} now={now} />
    </>
  )
}
