/** The rows of the list. The link of a row is its plan; the whole row leads there. */
import { useEffect, useRef, type MouseEvent, type ReactElement } from 'react'
import type { ExecutionState } from '../../../src/client/connect.ts'
import { msFromIso } from '../../../src/core/time.ts'
import { goTo, runPath } from '../address/address.ts'
import { Link } from '../address/link.tsx'
import { StateChip } from '../shown/state-mark.tsx'
import { runLook } from '../shown/states.ts'
import { ago, duration, shortId } from '../shown/words.ts'

export interface RunRowsProps {
  readonly runs: readonly ExecutionState[]
  readonly chosen: number
  readonly isLoaded: boolean
  readonly now: number
  /** Ids of those that are to be compared. */
  readonly picked: readonly string[]
  readonly onPick: (executionId: string) => void
}

export function RunRows({ runs, chosen, isLoaded, now, picked, onPick }: RunRowsProps): ReactElement {
  return (
    <table className="rows" aria-busy={!isLoaded}>
      <thead>
        <tr>
          <th scope="col" className="wide">
            <span className="sr-only">compare</span>
          </th>
          <th scope="col">status</th>
          <th scope="col">plan</th>
          <th scope="col" className="wide error">
            error
          </th>
          <th scope="col" className="wide">
            run
          </th>
          <th scope="col" className="wide">
            by
          </th>
          <th scope="col" className="number wide">
            events
          </th>
          <th scope="col" className="number">
            took
          </th>
          <th scope="col" className="number">
            started
          </th>
        </tr>
      </thead>
      <tbody>
        {isLoaded
          ? runs.map((run, at) => (
              <Row
                key={run.executionId}
                run={run}
                isChosen={at === chosen}
                now={now}
                isPicked={picked.includes(run.executionId)}
                onPick={onPick}
              />
            ))
          : EMPTY_ROWS.map((key) => (
              <tr key={key} className="shape">
                <td colSpan={9}>&nbsp;</td>
              </tr>
            ))}
      </tbody>
    </table>
  )
}

/** The shape of the list while it is loading. */
const EMPTY_ROWS = ['a', 'b', 'c', 'd', 'e', 'f']

/** A link in the row goes its own way, also into a new tab. */
function openRow({ target }: MouseEvent, executionId: string): void {
  if (target instanceof Element && target.closest('a') === null) goTo(runPath(executionId))
}

interface RowProps {
  readonly run: ExecutionState
  readonly isChosen: boolean
  readonly now: number
  readonly isPicked: boolean
  readonly onPick: (executionId: string) => void
}

function Row({ run, isChosen, now, isPicked, onPick }: RowProps): ReactElement {
  const { executionId, status, substatus, planId, planVersion, triggeredBy, lastEventSeq, errorCode } = run
  const row = useRef<HTMLTableRowElement>(null)
  useEffect(() => {
    if (isChosen) row.current?.scrollIntoView({ block: 'nearest' })
  }, [isChosen])
  const created = msFromIso(run.createdAt) ?? 0
  const updated = msFromIso(run.updatedAt) ?? 0
  const isOver = status === 'COMPLETED' || status === 'FAILED' || status === 'CANCELLED'
  return (
    <tr ref={row} className={isChosen ? 'chosen' : ''} onClick={(event) => openRow(event, executionId)}>
      <td className="wide">
        <input
          type="checkbox"
          aria-label={`Compare run ${shortId(executionId)}`}
          checked={isPicked}
          onClick={(event) => event.stopPropagation()}
          onChange={() => onPick(executionId)}
        />
      </td>
      <td>
        <StateChip look={runLook(status)} />
        {substatus === undefined ? null : <span className="quiet wide"> {substatus}</span>}
      </td>
      <td className="plan">
        <Link href={runPath(executionId)} aria-label={`${planId} ${planVersion}, run ${shortId(executionId)}`}>
          {planId}
        </Link>
        <span className="quiet"> {planVersion}</span>
        <Origin run={run} />
        <span className="narrow">
          {substatus === undefined ? null : <span className="quiet">{substatus} </span>}
          <ErrorCode code={errorCode} />
        </span>
      </td>
      <td className="wide">
        <ErrorCode code={errorCode} />
      </td>
      <td className="wide">
        <code title={executionId}>{shortId(executionId)}</code>
      </td>
      <td className="wide">{triggeredBy ?? ''}</td>
      <td className="number wide">{lastEventSeq.toLocaleString('en')}</td>
      <td className="number">{duration((isOver ? updated : now) - created)}</td>
      <td className="number">
        <time dateTime={run.createdAt} title={run.createdAt}>
          {ago(created, now)}
        </time>
      </td>
    </tr>
  )
}

function ErrorCode({ code }: { readonly code: string | undefined }): ReactElement | null {
  return code === undefined ? null : (
    <span className="code" title={code}>
      {code}
    </span>
  )
}

/** Where a run comes from that nobody started by itself. */
function Origin({
  run: { parentExecutionId, originalExecutionId },
}: {
  readonly run: ExecutionState
}): ReactElement | null {
  const [words, from] =
    parentExecutionId === undefined ? ['fork of', originalExecutionId] : ['child of', parentExecutionId]
  if (from === undefined) return null
  return (
    <span className="quiet origin">
      {words}{' '}
      <Link href={runPath(from)} aria-label={`${words} run ${shortId(from)}`}>
        {shortId(from)}
      </Link>
    </span>
  )
}
