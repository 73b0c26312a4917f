/** One group of the queue: each run with its place, since when it waits, what would let it start, and what one may do. */
import type { ReactElement } from 'react'
import { runPath } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { ActButton } from '../shown/act-button.tsx'
import { When } from '../shown/when.tsx'
import { plural, shortId } from '../shown/words.ts'
import { ACTS, type ActName, type AskedAct } from './queue-act.tsx'
import { placesOf, waitsSince, type QueuedRun } from './queue-groups.ts'
import { StartsWhen } from './starts-when.tsx'

export interface QueueRowsProps {
  readonly title: string
  readonly about?: string | undefined
  readonly runs: readonly QueuedRun[]
  readonly acts: readonly ActName[]
  /** Why this person's roles forbid the acts. */
  readonly mayNot?: string | undefined
  readonly now: number
  readonly onAct: (act: AskedAct) => void
}

export function QueueRows({ title, about, runs, acts, mayNot, now, onAct }: QueueRowsProps): ReactElement | null {
  if (runs.length === 0) return null
  return (
    <section aria-label={title}>
      <h2>
        {title} <span className="quiet count">{plural(runs.length, 'run')}</span>
      </h2>
      {about === undefined ? null : <p className="quiet">{about}</p>}
      {mayNot === undefined ? null : <p className="hint">{mayNot}</p>}
      <ol className="queue-list">
        {runs.map((run, at) => (
          <QueueRow key={run.executionId} run={run} place={at + 1} acts={acts} now={now} onAct={onAct} />
        ))}
      </ol>
    </section>
  )
}

interface QueueRowProps extends Pick<QueueRowsProps, 'acts' | 'now' | 'onAct'> {
  readonly run: QueuedRun
  /** Where no limit says it. */
  readonly place: number
}

function QueueRow({ run, place, acts, now, onAct }: QueueRowProps): ReactElement {
  const { executionId, planId, planVersion, triggeredBy } = run
  const id = shortId(executionId)
  return (
    <li>
      <span className="place number">{placesOf(run)[0]?.position ?? place}</span>
      <span className="what">
        <Link href={runPath(executionId)} aria-label={`${planId} ${planVersion}, run ${id}`}>
          {planId}
        </Link>{' '}
        <span className="quiet">{planVersion}</span> <code title={executionId}>{id}</code>
        {triggeredBy === undefined ? null : <span className="quiet"> by {triggeredBy}</span>}
      </span>
      <span className="since">
        <span className="quiet">since</span> <When at={waitsSince(run)} now={now} />
      </span>
      <div className="starts">
        <StartsWhen run={run} now={now} />
      </div>
      <span className="row-acts">
        {acts.map((act) => (
          <RowAct key={act} act={act} run={run} onAct={onAct} />
        ))}
      </span>
    </li>
  )
}

interface RowActProps {
  readonly act: ActName
  readonly run: QueuedRun
  readonly onAct: (act: AskedAct) => void
}

function RowAct({ act, run, onAct }: RowActProps): ReactElement {
  const { words, needs } = ACTS[act]
  const of = `${run.planId} ${shortId(run.executionId)}`
  if (act === 'approve' && run.mayNot !== undefined)
    return (
      <button type="button" className="small" disabled title={run.mayNot.why} aria-label={`${words} ${of}`}>
        {words}
      </button>
    )
  return <ActButton words={words} needs={needs} of={of} onClick={() => onAct({ act, run })} />
}
