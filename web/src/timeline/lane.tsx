/** One row of the timeline: a step and its bars, or the items of a fan-out as one strip. */
import type { ReactElement } from 'react'
import type { StepSnapshot } from '../../../src/core/view/fold/run-snapshot.ts'
import type { RunView } from '../../../src/core/view/fold/run-view.ts'
import { selectStep } from '../history/use-moment.ts'
import { StateMark } from '../shown/state-mark.tsx'
import { stepLook } from '../shown/states.ts'
import type { WaitKind } from '../shown/wait-kind.ts'
import { duration } from '../shown/words.ts'
import { BINS, densityOf } from './density.ts'
import { segmentsOf, type Segment } from './segments.ts'
import type { TimeScale } from './time-scale.ts'

export const LANE_HEIGHT = 24

export interface LaneProps {
  readonly step: StepSnapshot
  readonly waits: WaitKind
  readonly view: RunView
  readonly scale: TimeScale
  readonly asOf: number
  readonly top: number
  readonly isChosen: boolean
}

export function Lane({ step, waits, view, scale, asOf, top, isChosen }: LaneProps): ReactElement {
  const { stepId, items } = step
  const bars = segmentsOf(step, asOf, waits)
  return (
    <button
      type="button"
      className={`lane ${isChosen ? 'chosen' : ''}`}
      style={{ top, height: LANE_HEIGHT }}
      aria-pressed={isChosen}
      aria-label={`${stepId}: ${bars.map(({ title, from, to }) => `${title} ${duration(to - from)}`).join(', ') || stepLook(step, waits).word}`}
      onClick={() => selectStep(stepId)}
    >
      <span className="lane-name" title={stepId}>
        <StateMark look={stepLook(step, waits)} size={12} />
        <span>{stepId}</span>
      </span>
      <span className="bars">
        {items === undefined ? <Bars bars={bars} scale={scale} /> : <Strip {...{ view, stepId, scale, asOf }} />}
      </span>
    </button>
  )
}

function Bars({ bars, scale }: { readonly bars: readonly Segment[]; readonly scale: TimeScale }): ReactElement {
  return (
    <>
      {bars.map((bar, at) =>
        bar.to < scale.from || bar.from > scale.to ? null : (
          <span
            key={at}
            className={`bar ${bar.kind}`}
            style={span(scale, bar.from, bar.to)}
            title={`${bar.title}, ${duration(bar.to - bar.from)}`}
          />
        ),
      )}
    </>
  )
}

interface StripProps {
  readonly view: RunView
  readonly stepId: string
  readonly scale: TimeScale
  readonly asOf: number
}

const LOWEST = 3
const HIGHEST = 16

/** The height says how many were at work, from the most at once downwards. */
function Strip({ view, stepId, scale, asOf }: StripProps): ReactElement {
  return (
    <>
      {densityOf(view, stepId, scale, asOf).map(({ level, hasFailed }, at) =>
        level === 0 ? null : (
          <span
            key={at}
            className={`bin ${hasFailed ? 'has-failed' : ''}`}
            style={{
              left: percent(at / BINS),
              width: percent(1 / BINS),
              height: Math.round(LOWEST + (HIGHEST - LOWEST) * level),
            }}
          />
        ),
      )}
    </>
  )
}

export const percent = (part: number): string => `${(part * 100).toFixed(3)}%`

export function span(scale: TimeScale, from: number, to: number): { readonly left: string; readonly width: string } {
  const [left, right] = [scale.place(from), scale.place(to)]
  return { left: percent(left), width: percent(right - left) }
}
