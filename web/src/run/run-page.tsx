/** The page of one run: graph, timeline, events and inspector of one moment, with one selection and one time cursor. */
import { useMemo, useState, type ReactElement } from 'react'
import { OpenedAct } from '../acts/opened-act.tsx'
import { WaitingDecisions } from '../acts/waiting-decisions.tsx'
import { useKeys } from '../keys/use-keys.ts'
import { session as sessions } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { Trouble } from '../shown/trouble.tsx'
import { useClock } from '../shown/use-clock.ts'
import type { At } from '../history/at.ts'
import { CursorBar } from './cursor-bar.tsx'
import { EventsPane } from '../events/events-pane.tsx'
import { GraphPane } from '../graph/graph-pane.tsx'
import { InspectorPane } from '../inspector/inspector-pane.tsx'
import type { LoadedRun } from '../history/load-run.ts'
import { RunHeader } from './run-header.tsx'
import { TimelinePane } from '../timeline/timeline-pane.tsx'
import { openTab, selectStep, useMoment } from '../history/use-moment.ts'
import { useRun } from '../history/use-run.ts'

export function RunPage({ executionId }: { readonly executionId: string }): ReactElement {
  const session = useWatched(sessions)
  const { run, lastSeq, error } = useRun(session, executionId)
  if (run !== undefined && lastSeq > 0) return <Opened run={run} lastSeq={lastSeq} error={error} />
  return (
    <main className="run">
      <h1 className="sr-only">Run {executionId}</h1>
      {error === undefined ? <p className="quiet loading">Reading the log …</p> : <Trouble error={error} />}
    </main>
  )
}

const PANES = ['graph', 'timeline', 'events', 'inspector'] as const
type Pane = (typeof PANES)[number]

interface OpenedProps {
  readonly run: LoadedRun
  readonly lastSeq: number
  readonly error: unknown
}

function Opened({ run, lastSeq, error }: OpenedProps): ReactElement {
  const at = useAt(run, lastSeq)
  const { history, snapshot, view, asOf, moment } = at
  const [pane, setPane] = useState<Pane>('graph')
  useStepKeys(at)
  const until = run.hasEnded ? history.msAt(lastSeq) : Math.max(history.msAt(lastSeq), moment.isNow ? asOf : 0)
  return (
    <main className="run" data-pane={pane}>
      <RunHeader at={at} />
      <WaitingDecisions executionId={run.execution.executionId} moved={lastSeq} />
      {error === undefined ? null : <Trouble error={error} />}
      {run.isWhole ? null : <p className="quiet loading">Reading the log: {lastSeq} events so far …</p>}
      <div className="pane-tabs" role="group" aria-label="Parts of the page">
        {PANES.map((one) => (
          <button key={one} type="button" aria-pressed={one === pane} onClick={() => setPane(one)}>
            {one}
          </button>
        ))}
      </div>
      <section className="pane graph-pane" aria-label="Graph">
        {history.graph === undefined ? (
          <p className="quiet">The plan of this run is not stored here.</p>
        ) : (
          <GraphPane graph={history.graph} snapshot={snapshot} asOf={asOf} selected={moment.step} />
        )}
      </section>
      <section className="pane timeline-pane" aria-label="Timeline">
        <TimelinePane
          graph={history.graph}
          records={history.records}
          selected={moment.step}
          {...{ view, snapshot, lastSeq, asOf, until }}
        />
      </section>
      <CursorBar history={history} lastSeq={lastSeq} moment={moment} hasEnded={run.hasEnded} />
      <section className="pane events-pane" aria-label="Events">
        <EventsPane history={history} lastSeq={lastSeq} moment={moment} />
      </section>
      <div className="pane inspector-pane">
        <InspectorPane at={at} />
      </div>
      <OpenedAct at={at} />
    </main>
  )
}

/** The fold at the cursor; made anew only when the cursor or the log has moved. */
function useAt({ execution, history, hasEnded }: LoadedRun, lastSeq: number): At {
  const moment = useMoment(lastSeq)
  const isLive = moment.isNow && !hasEnded
  const clock = useClock(isLive)
  const view = useMemo(() => history.viewAt(moment.seq), [history, moment.seq])
  const snapshot = useMemo(() => history.snapshotAt(moment.seq), [history, moment.seq])
  const asOf = isLive ? Math.max(clock, history.msAt(lastSeq)) : history.msAt(moment.seq)
  return { execution, history, moment, view, snapshot, asOf, hasEnded }
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
