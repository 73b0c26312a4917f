/** The time above the bars: round distances from the first event, and how long each folded stretch was. */
import type { ReactElement } from 'react'
import { duration } from '../shown/words.ts'
import { percent } from './lane.tsx'
import type { TimeScale } from './time-scale.ts'

export function Ruler({ scale, isPart }: { readonly scale: TimeScale; readonly isPart: boolean }): ReactElement {
  return (
    <div className="ruler">
      <span className="total" title={isPart ? 'the part that is shown' : 'from the first event to the last'}>
        {duration(scale.to - scale.from)}
      </span>
      {scale.ticks.map(({ ms, at }) => (
        <span key={ms} className="tick" style={{ left: percent(at) }}>
          {ms === 0 ? '0' : short(ms)}
        </span>
      ))}
      {scale.idle.map(({ from, to, at }) => (
        <span
          key={from}
          className={`idle ${at > 0.85 ? 'last' : ''}`}
          style={{ left: percent(at) }}
          title="nothing happened for so long"
        >
          {`⋯ ${duration(to - from)} ⋯`}
        </span>
      ))}
    </div>
  )
}

/** `2 s`, not `2.0 s`. */
function short(ms: number): string {
  return duration(ms).replace('.0 ', ' ')
}
