/** The page of one run: graph, timeline, events and inspector of one moment, with one selection and one time cursor. */
import { useEffect, useMemo, type ReactElement, type ReactNode } from 'react'
import { OpenedAct } from '../acts/opened-act.tsx'
import { WaitingDecisions } from '../acts/waiting-decisions.tsx'
import { runPath, RUNS, setQuery, useAddress } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { noteVisit } from '../address/visited.ts'
import { useOffers } from '../keys/offered.ts'
import { useKeys } from '../keys/use-keys.ts'
import { isHere, session as sessions } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { Boundary } from '../shown/boundary.tsx'
import { Trouble } from '../shown/trouble.tsx'
import { useClock } from '../shown/use-clock.ts'
import { shortId } from '../shown/words.ts'
import type { At } from '../history/at.ts'
import { CursorBar } from './cursor-bar.tsx'
import { EventsPane } from '../events/events-pane.tsx'
import { GraphPane } from '../graph/graph-pane.tsx'
import { InspectorPane } from '../inspector/inspector-pane.tsx'
import type { LoadedRun } from '../history/load-run.ts'
import { runOffers } from './run-offers.ts'
import { RunHeader } from './run-header.tsx'
import { TimelinePane } from '../timeline/timeline-pane.tsx'
import { openTab, selectStep, useMoment } from '../history/use-moment.ts'
import { useRun } from '../history/use-run.ts'

export function RunPage({ executionId }: { readonly executionId: string }): ReactElement {
  const session = useWatched(sessions)
  const { run, lastSeq, error } = useRun(session, executionId)
  if (run !== undefined && lastSeq > 0) return <OpenedRun run={run} lastSeq={lastSeq} error={error} />
  return (
    <main className="run">
      <h1 className="sr-only">Run {executionId}</h1>
      {error === undefined ? (
        <RunShape />
      ) : (
        <div className="no-run">
          <Trouble error={error} />
          <p>
            <Link href={RUNS}>All runs</Link> <span className="quiet">or find another with ⌘K, Ctrl K</span>
          </p>
        </div>
      )}
    </main>
  )
}

/** Where everything will be. */
function RunShape(): ReactElement {
  return (
    <>
      <p className="quiet loading" role="status">
        Reading the log …
      </p>
      <div className="run-header shape" aria-hidden="true">
        <span className="shape-line" />
      </div>
      {['graph-pane', 'timeline-pane', 'events-pane', 'inspector-pane'].map((pane) => (
        <div key={pane} className={`pane shape ${pane}`} aria-hidden="true">
          <span className="shape-line" />
          <span className="shape-line" />
          <span className="shape-line" />
        </div>
      ))}
    </>
  )
}

const PANES = ['graph', 'timeline', 'events', 'inspector'] as const
type Pane = (typeof PANES)[number]

/** Which part a narrow screen shows. */
function usePane(): Pane {
  const { query } = useAddress()
  // A link that names what to read about a step leads there, whoever made it on a wide screen.
  return PANES.find((one) => one === query.get('part')) ?? (query.has('tab') ? 'inspector' : 'graph')
}

export interface OpenedRunProps {
  readonly run: LoadedRun
  readonly lastSeq: number
  readonly error?: unknown
  /** What else there is to know of it, below its name. */
  readonly note?: ReactNode
}

export function OpenedRun({ run, lastSeq, error, note }: OpenedRunProps): ReactElement {
  const at = useAt(run, lastSeq)
  const { history, snapshot, asOf, moment } = at
  const pane = usePane()
  const isAnswering = useWatched(isHere)
  const isBehind = run.file === undefined && !isAnswering
  useStepKeys(at)
  useOffers(() => runOffers(at))
  const { executionId, planId } = run.execution
  useEffect(() => {
    if (run.file === undefined) noteVisit({ href: runPath(executionId), words: planId, detail: shortId(executionId) })
  }, [run.file, executionId, planId])
  const until = run.hasEnded ? history.msAt(lastSeq) : Math.max(history.msAt(lastSeq), moment.isNow ? asOf : 0)
  return (
    <main className="run" data-pane={pane}>
      <RunHeader at={at} />
      {note}
      {run.file === undefined ? (
        <WaitingDecisions executionId={run.execution.executionId} moved={run.isWhole ? lastSeq : 0} />
      ) : null}
      {error === undefined ? null : <Trouble error={error} />}
      {run.isWhole ? null : (
        <p className="quiet loading" role="status">
          Reading the log: {lastSeq.toLocaleString('en')} of {run.execution.lastEventSeq.toLocaleString('en')} events …
        </p>
      )}
      <div className="pane-tabs" role="group" aria-label="Parts of the page">
        {PANES.map((one) => (
          <button key={one} type="button" aria-pressed={one === pane} onClick={() => setQuery({ part: one }, 'step')}>
            {one}
          </button>
        ))}
      </div>
      <section className="pane graph-pane" aria-label="Graph">
        {history.graph === undefined ? (
          <p className="quiet">The plan of this run is not stored here.</p>
        ) : (
          <GraphPane
            graph={history.graph}
            selected={moment.step}
            doneBy={(stepId) => history.doneBy(stepId, moment.seq)}
            whyOf={(stepId) => history.whyAt(stepId, moment.seq, asOf)}
            {...{ snapshot, asOf }}
          />
        )}
      </section>
      <section className="pane timeline-pane" aria-label="Timeline">
        <TimelinePane {...{ at, lastSeq, until }} />
      </section>
      <CursorBar history={history} lastSeq={lastSeq} moment={moment} hasEnded={run.hasEnded} isBehind={isBehind} />
      <section className="pane events-pane" aria-label="Events">
        <EventsPane history={history} lastSeq={lastSeq} moment={moment} />
      </section>
      <div className="pane inspector-pane">
        <Boundary>
          <InspectorPane at={at} />
        </Boundary>
      </div>
      <OpenedAct at={at} />
    </main>
  )
}

/** The fold at the cursor; made anew only when the cursor or the log has moved. */
function useAt({ execution, history, hasEnded, isStale, file }: LoadedRun, lastSeq: number): At {
  const moment = useMoment(lastSeq)
  const isLive = moment.isNow && !hasEnded
  const clock = useClock(isLive)
  const view = useMemo(() => history.viewAt(moment.seq), [history, moment.seq])
  const snapshot = useMemo(() => history.snapshotAt(moment.seq), [history, moment.seq])
  const asOf = isLive ? Math.max(clock, history.msAt(lastSeq)) : history.msAt(moment.seq)
  return { execution, history, moment, view, snapshot, asOf, hasEnded, isStale, file }
}

function useStepKeys({ snapshot: { steps }, moment: { step } }: At): void {
  const at = steps.findIndex(({ stepId }) => stepId === step)
  useKeys({
    j: () => selectStep(steps[Math.min(steps.length - 1, at + 1)]?.stepId),
    k: () => selectStep(steps[Math.max(0, at - 1)]?.stepId),
    w: () => openTab('why'),
    Escape: () => selectStep(undefined),
  })
}
