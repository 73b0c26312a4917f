/** What can be done with the drawing itself: find a step, make it larger or smaller, open and close folds. */
import { useId, useState, type KeyboardEvent, type ReactElement } from 'react'
import { plural } from '../shown/words.ts'
import { ZOOM_STEP, type Zoom } from './use-zoom.ts'

export interface GraphToolsProps {
  readonly stepIds: readonly string[]
  readonly zoom: Zoom
  readonly hasFolds: boolean
  /** The folds that are open; undefined: all are. */
  readonly open: ReadonlySet<string> | undefined
  readonly onOpen: (open: ReadonlySet<string> | 'all') => void
  readonly onFind: (stepId: string) => void
}

/** Fewer are found by looking. */
const SEARCHED = 20
const SUGGESTED = 12

export function GraphTools({ stepIds, zoom, hasFolds, open, onOpen, onFind }: GraphToolsProps): ReactElement {
  return (
    <div className="graph-tools" role="group" aria-label="The drawing">
      {stepIds.length < SEARCHED ? null : <StepSearch stepIds={stepIds} onFind={onFind} />}
      {hasFolds ? (
        <>
          {open === undefined || open.size > 0 ? (
            <button type="button" className="small" onClick={() => onOpen(new Set())}>
              Fold
            </button>
          ) : null}
          {open === undefined ? null : (
            <button type="button" className="small" onClick={() => onOpen('all')} title="Draw every step">
              Open all
            </button>
          )}
        </>
      ) : null}
      <span className="zoom">
        <button type="button" className="small" aria-label="Smaller" onClick={() => zoom.by(1 / ZOOM_STEP)}>
          −
        </button>
        <button
          type="button"
          className="small level"
          aria-label={`Fit the graph, now ${Math.round(zoom.scale * 100)} %`}
          title="Fit"
          onClick={() => zoom.to(undefined)}
        >
          {Math.round(zoom.scale * 100)}%
        </button>
        <button type="button" className="small" aria-label="Larger" onClick={() => zoom.by(ZOOM_STEP)}>
          +
        </button>
      </span>
    </div>
  )
}

interface StepSearchProps {
  readonly stepIds: readonly string[]
  readonly onFind: (stepId: string) => void
}

/** Enter goes to the first step that fits, and with the same words to the next. */
function StepSearch({ stepIds, onFind }: StepSearchProps): ReactElement {
  const [text, setText] = useState('')
  const [turn, setTurn] = useState(0)
  const list = useId()
  const wanted = text.trim().toLowerCase()
  const found = wanted === '' ? [] : stepIds.filter((stepId) => stepId.toLowerCase().includes(wanted))
  const pressed = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter') return
    const exact = found.find((stepId) => stepId.toLowerCase() === wanted)
    const next = exact ?? found[turn % Math.max(1, found.length)]
    if (next === undefined) return
    setTurn(turn + 1)
    onFind(next)
  }
  return (
    <label className="step-search">
      <span className="sr-only">Find a step</span>
      <input
        type="search"
        placeholder="find a step"
        list={list}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setTurn(0)
        }}
        onKeyDown={pressed}
      />
      <datalist id={list}>
        {found.slice(0, SUGGESTED).map((stepId) => (
          <option key={stepId} value={stepId}>
            {stepId}
          </option>
        ))}
      </datalist>
      <output className="quiet">{wanted === '' ? '' : plural(found.length, 'step')}</output>
    </label>
  )
}
