/** The time cursor: dragged, moved event by event or decision by decision, played, or let go back to now. */
import type { ReactElement } from 'react'
import { useKeys } from '../keys/use-keys.ts'
import { duration, timeOfDay } from '../shown/words.ts'
import type { RunHistory } from '../history/run-history.ts'
import { goToEvent, type Moment } from '../history/use-moment.ts'
import { SPEEDS, usePlayback } from './use-playback.ts'

export interface CursorBarProps {
  readonly history: RunHistory
  readonly lastSeq: number
  readonly moment: Moment
  readonly hasEnded: boolean
  /** The server is away: what is shown may be over. */
  readonly isBehind: boolean
}

export function CursorBar({ history, lastSeq, moment, hasEnded, isBehind }: CursorBarProps): ReactElement {
  const { seq, isNow } = moment
  const { isPlaying, play, speed, setSpeed, folded } = usePlayback(history, lastSeq, moment)
  const go = (to: number): void => goToEvent(to >= lastSeq ? undefined : Math.max(1, to))
  const back = (): void => go(seq - 1)
  const forth = (): void => go(seq + 1)
  useKeys({
    ArrowLeft: back,
    ArrowRight: forth,
    'Shift+ArrowLeft': () => go(decisionBefore(history, seq)),
    'Shift+ArrowRight': () => go(decisionAfter(history, seq)),
    n: () => goToEvent(undefined),
    p: () => play(!isPlaying),
  })
  const record = history.recordAt(seq)
  const live = hasEnded ? 'the end' : `${isBehind ? 'not ' : ''}live`
  return (
    <div className={`cursor-bar ${isNow ? '' : 'past'}`} role="group" aria-label="Time cursor">
      <button type="button" onClick={back} disabled={seq <= 1} aria-label="One event back" title="← (⇧← a decision)">
        ‹
      </button>
      <button
        type="button"
        className="play"
        onClick={() => play(!isPlaying)}
        aria-label={isPlaying ? 'Stop the playback' : 'Play the run back'}
        title="p"
      >
        {isPlaying ? '❚❚' : '▶'}
      </button>
      <button type="button" onClick={forth} disabled={isNow} aria-label="One event on" title="→ (⇧→ a decision)">
        ›
      </button>
      <select
        aria-label="Speed of the playback"
        value={speed}
        title="Long waits are shortened"
        onChange={(event) => setSpeed(Number(event.target.value))}
      >
        {SPEEDS.map((one) => (
          <option key={one} value={one}>
            {one}×
          </option>
        ))}
      </select>
      <input
        type="range"
        min={1}
        max={Math.max(1, lastSeq)}
        value={seq}
        aria-label="Event"
        aria-valuetext={`event ${seq} of ${lastSeq}`}
        onChange={(event) => go(Number(event.target.value))}
      />
      <output className="when">
        {isNow ? '' : 'as of '}event {seq} of {lastSeq}
        {record === undefined ? '' : ' · '}
        {record === undefined ? null : (
          <time dateTime={record.emittedAt} title={record.emittedAt}>
            {timeOfDay(Date.parse(record.emittedAt))}
          </time>
        )}
        {isNow ? ` · ${live}` : ''}
        {folded === undefined ? '' : ` · ${duration(folded)} shortened`}
      </output>
      <button type="button" className="now" onClick={() => goToEvent(undefined)} disabled={isNow} title="n">
        now
      </button>
    </div>
  )
}

/** Where the decision before the one of this event ended. */
function decisionBefore(history: RunHistory, seq: number): number {
  return (history.recordAt(seq)?.decision.firstSeq ?? seq) - 1
}

/** The last event of the next decision. */
function decisionAfter(history: RunHistory, seq: number): number {
  const next = history.recordAt(seq + 1)?.decision.firstSeq
  const found = history.records.slice(history.countAt(seq)).findLast((one) => one.decision.firstSeq === next)
  return found?.runSeq ?? seq + 1
}
