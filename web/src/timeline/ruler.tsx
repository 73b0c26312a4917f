/** The time above the bars: round distances from the first event, and how long each folded stretch was. */
import type { ReactElement } from 'react'
import { duration } from '../shown/words.ts'
import { rulerTexts } from './ruler-texts.ts'
import type { TimeScale } from './time-scale.ts'

export interface RulerProps {
  readonly scale: TimeScale
  readonly isPart: boolean
  /** Of the bars, in pixels. */
  readonly width: number
}

export function Ruler({ scale, isPart, width }: RulerProps): ReactElement {
  return (
    <div className="ruler">
      <span className="total" title={isPart ? 'the part that is shown' : 'from the first event to the last'}>
        {duration(scale.to - scale.from)}
      </span>
      {rulerTexts(scale, width).map(({ key, text, left, isIdle }) => (
        <span
          key={key}
          className={isIdle ? 'idle' : 'tick'}
          style={{ left }}
          title={isIdle ? 'nothing happened for so long' : undefined}
        >
          {text}
        </span>
      ))}
    </div>
  )
}
