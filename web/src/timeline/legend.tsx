/** What the marks mean that are on the screen, from the table that names them; and how another part of the time is shown. */
import type { ReactElement } from 'react'
import { MARKS, type Mark } from './segments.ts'

export interface LegendProps {
  readonly marks: ReadonlySet<Mark>
  readonly zoom: (factor: number) => void
  /** By so many parts of what is shown. */
  readonly move: (parts: number) => void
  /** Undefined: all is shown. */
  readonly whole: (() => void) | undefined
}

const CLASSES: Readonly<Partial<Record<Mark, string>>> = {
  items: 'bin',
  'failed-items': 'bin has-failed',
  pause: 'pause',
}

export function Legend({ marks, zoom, move, whole }: LegendProps): ReactElement {
  return (
    <div className="timeline-foot">
      <ul className="legend" aria-label="What the bars mean">
        {(Object.keys(MARKS) as Mark[])
          .filter((mark) => marks.has(mark))
          .map((mark) => (
            <li key={mark}>
              <span className={CLASSES[mark] ?? `bar ${mark}`} /> {MARKS[mark]}
            </li>
          ))}
      </ul>
      <div className="time-tools" role="group" aria-label="The time that is shown">
        {whole === undefined ? null : (
          <>
            <button type="button" className="small" aria-label="Earlier" onClick={() => move(-0.5)}>
              ‹
            </button>
            <button type="button" className="small" aria-label="Later" onClick={() => move(0.5)}>
              ›
            </button>
            <button type="button" className="small" title="0, or a double click" onClick={whole}>
              Whole run
            </button>
          </>
        )}
        <button type="button" className="small" aria-label="Show more time" title="-" onClick={() => zoom(2)}>
          −
        </button>
        <button
          type="button"
          className="small"
          aria-label="Show less time around the cursor"
          title="+, or drag over a part"
          onClick={() => zoom(0.5)}
        >
          +
        </button>
      </div>
    </div>
  )
}
