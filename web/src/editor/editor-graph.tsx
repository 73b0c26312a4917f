/** The graph of what is written; after a start, the run that it became, as it moves. */
import { memo, useMemo, type ReactElement } from 'react'
import type { PlanGraph } from '../../../src/core/plan/compile/graph.ts'
import { runPath, setQuery } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { GraphPane } from '../graph/graph-pane.tsx'
import { PlanPane, type PlanPaneProps } from '../graph/plan-pane.tsx'
import type { LoadedRun } from '../history/load-run.ts'
import { useRun } from '../history/use-run.ts'
import { kindsOf } from '../plans/step-told.ts'
import { session as sessions } from '../server/session.ts'
import { useWatched } from '../server/watched.ts'
import { StateChip } from '../shown/state-mark.tsx'
import { runLook } from '../shown/states.ts'
import { Trouble } from '../shown/trouble.tsx'
import { useClock } from '../shown/use-clock.ts'
import { shortId } from '../shown/words.ts'
import { RunEnd } from './run-end.tsx'

export interface EditorGraphProps {
  readonly graph: PlanGraph | undefined
  /** Not of an earlier text. */
  readonly isOfText: boolean
  readonly run: string | undefined
  readonly selected: string | undefined
}

/** Drawn anew only when it has changed: not for every letter. */
export const EditorGraph = memo(DrawnText)

function DrawnText({ graph, isOfText, run, selected }: EditorGraphProps): ReactElement {
  if (run !== undefined) return <RunBeside key={run} executionId={run} selected={selected} />
  return (
    <section aria-label="Graph of the text">
      {isOfText ? null : (
        <p className="hint">
          {graph === undefined ? 'The text is no plan yet.' : 'As it was before the text had a problem.'}
        </p>
      )}
      {graph === undefined ? null : <TextPane graph={graph} selected={selected} />}
    </section>
  )
}

function TextPane({ graph, selected }: Omit<PlanPaneProps, 'drawnAs'>): ReactElement {
  const drawnAs = useMemo(() => kindsOf(graph), [graph])
  return <PlanPane graph={graph} selected={selected} drawnAs={drawnAs} />
}

function RunBeside({
  executionId,
  selected,
}: {
  readonly executionId: string
  readonly selected: string | undefined
}): ReactElement {
  const session = useWatched(sessions)
  const { run, lastSeq, error } = useRun(session, executionId)
  return (
    <section aria-label="The run of the text">
      <p className="run-line">
        Run{' '}
        <Link href={runPath(executionId)}>
          <code title={executionId}>{shortId(executionId)}</code>
        </Link>
        {run === undefined || lastSeq === 0 ? (
          <span className="quiet">begins …</span>
        ) : (
          <Status run={run} lastSeq={lastSeq} />
        )}
        <button type="button" className="small" onClick={() => setQuery({ run: undefined }, 'step')}>
          Back to the graph of the text
        </button>
      </p>
      {error === undefined ? null : <Trouble error={error} />}
      {run === undefined || lastSeq === 0 ? null : <Moving run={run} lastSeq={lastSeq} selected={selected} />}
    </section>
  )
}

interface MovingProps {
  readonly run: LoadedRun
  readonly lastSeq: number
}

function Status({ run: { history }, lastSeq }: MovingProps): ReactElement {
  const { status } = history.snapshotAt(lastSeq)
  return (
    <span role="status" aria-label="Status of the run">
      <StateChip look={runLook(status)} />
    </span>
  )
}

function Moving({ run, lastSeq, selected }: MovingProps & { readonly selected: string | undefined }): ReactElement {
  const { history, hasEnded, execution } = run
  const now = useClock(!hasEnded)
  const snapshot = history.snapshotAt(lastSeq)
  const asOf = hasEnded ? history.msAt(lastSeq) : Math.max(now, history.msAt(lastSeq))
  return (
    <>
      {history.graph === undefined ? null : (
        <GraphPane
          graph={history.graph}
          doneBy={(stepId) => history.doneBy(stepId, lastSeq)}
          {...{ snapshot, asOf, selected }}
        />
      )}
      {hasEnded ? <RunEnd executionId={execution.executionId} /> : null}
    </>
  )
}
