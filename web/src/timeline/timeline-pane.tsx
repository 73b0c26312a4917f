/** When what happened: a row for each step, its attempts as bars, pauses of the run behind them, and the cursor in front. */
import { useMemo, type ReactElement } from 'react'
import type { PlanGraph } from '../../../src/core/plan/compile/graph.ts'
import type { LogRecord } from '../../../src/core/events/event.ts'
import { msFromIso } from '../../../src/core/time.ts'
import type { RunSnapshot, StepSnapshot } from '../../../src/core/view/fold/run-snapshot.ts'
import type { RunView } from '../../../src/core/view/fold/run-view.ts'
import { StateMark } from '../shown/state-mark.tsx'
import { stepLook } from '../shown/states.ts'
import { duration } from '../shown/words.ts'
import { densityOf, BINS } from './density.ts'
import { pausesOf } from './pauses.ts'
import { segmentsOf, SEGMENT_WORDS, type Segment, type SegmentKind, type WaitKind } from './segments.ts'
import { timeScale, type TimeScale } from './time-scale.ts'
import { selectStep } from '../history/use-moment.ts'

export interface TimelinePaneProps {
  readonly graph: PlanGraph | undefined
  readonly view: RunView
  readonly snapshot: RunSnapshot
  /** All that have arrived: the scale stays where it is while the cursor moves. */
  readonly records: readonly LogRecord[]
  readonly lastSeq: number
  /** The instant of the moment. */
  readonly asOf: number
  /** The end of the scale. */
  readonly until: number
  readonly selected: string | undefined
}

export function TimelinePane(props: TimelinePaneProps): ReactElement {
  const { graph, view, snapshot, records, lastSeq, asOf, until, selected } = props
  const scale = useMemo(() => scaleOf(records, until), [records, lastSeq, until])
  const rows = snapshot.steps.map((step) => ({ step, bars: segmentsOf(step, asOf, waitKind(graph, step.stepId)) }))
  const kinds = new Set(rows.flatMap(({ bars }) => bars.map(({ kind }) => kind)))
  return (
    <div className="timeline">
      <Ruler scale={scale} />
      <div className="lanes">
        <div className="behind" aria-hidden="true">
          {pausesOf(records, snapshot.lastEventSeq, asOf).map(({ from, to }) => (
            <span key={from} className="pause" style={span(scale, from, to)} />
          ))}
          <span className="cursor" style={{ left: percent(scale.place(asOf)) }} />
        </div>
        {rows.map(({ step, bars }) => (
          <Lane key={step.stepId} step={step} bars={bars} {...{ view, scale, asOf }} isChosen={isOf(selected, step)} />
        ))}
      </div>
      <Legend kinds={kinds} hasItems={snapshot.steps.some(({ items }) => items !== undefined)} />
    </div>
  )
}

interface LaneProps {
  readonly step: StepSnapshot
  readonly bars: readonly Segment[]
  readonly view: RunView
  readonly scale: TimeScale
  readonly asOf: number
  readonly isChosen: boolean
}

function Lane({ step, bars, view, scale, asOf, isChosen }: LaneProps): ReactElement {
  const { stepId, items } = step
  return (
    <button
      type="button"
      className={`lane ${isChosen ? 'chosen' : ''}`}
      aria-pressed={isChosen}
      aria-label={`${stepId}: ${bars.map(({ title, from, to }) => `${title} ${duration(to - from)}`).join(', ') || stepLook(step).word}`}
      onClick={() => selectStep(stepId)}
    >
      <span className="lane-name">
        <StateMark look={stepLook(step)} size={12} />
        {stepId}
      </span>
      <span className="bars">
        {items === undefined
          ? bars.map((bar, at) => (
              <span
                key={at}
                className={`bar ${bar.kind}`}
                style={span(scale, bar.from, bar.to)}
                title={`${bar.title}, ${duration(bar.to - bar.from)}`}
              />
            ))
          : densityOf(view, stepId, scale, asOf).map((bin, at) =>
              bin.level === 0 ? null : (
                <span
                  key={at}
                  className={`bin ${bin.hasFailed ? 'has-failed' : ''}`}
                  style={{ left: percent(at / BINS), width: percent(1 / BINS), opacity: 0.35 + 0.65 * bin.level }}
                />
              ),
            )}
      </span>
    </button>
  )
}

function Ruler({ scale }: { readonly scale: TimeScale }): ReactElement {
  return (
    <div className="ruler">
      <span className="total" title="from the first event to the last">
        {duration(scale.to - scale.from)}
      </span>
      {scale.idle.map(({ from, to, at }) => (
        <span
          key={from}
          className={`idle ${at > 0.85 ? 'last' : ''}`}
          style={{ left: percent(at) }}
          title="nothing happened for so long"
        >
          {`… ${duration(to - from)} …`}
        </span>
      ))}
    </div>
  )
}

interface LegendProps {
  readonly kinds: ReadonlySet<SegmentKind>
  readonly hasItems: boolean
}

function Legend({ kinds, hasItems }: LegendProps): ReactElement {
  return (
    <ul className="legend" aria-label="What the bars mean">
      {[...kinds].map((kind) => (
        <li key={kind}>
          <span className={`bar ${kind}`} /> {SEGMENT_WORDS[kind]}
        </li>
      ))}
      {hasItems ? (
        <li>
          <span className="bin has-failed" /> items at work, on top those that failed
        </li>
      ) : null}
    </ul>
  )
}

function scaleOf(records: readonly LogRecord[], until: number): TimeScale {
  const instants = records.map(({ emittedAt }) => msFromIso(emittedAt) ?? 0).sort((a, b) => a - b)
  return timeScale(until > (instants.at(-1) ?? 0) ? [...instants, until] : instants)
}

function waitKind(graph: PlanGraph | undefined, stepId: string): WaitKind {
  const kind = graph?.kinds[graph.indexOf.get(stepId) ?? -1]
  if (kind === 'manual') return 'person'
  return kind === 'wait' || kind === 'plan' ? 'wait' : undefined
}

function isOf(selected: string | undefined, { stepId }: StepSnapshot): boolean {
  return selected === stepId || selected?.startsWith(`${stepId}[`) === true
}

const percent = (part: number): string => `${(part * 100).toFixed(3)}%`

function span(scale: TimeScale, from: number, to: number): { readonly left: string; readonly width: string } {
  const [left, right] = [scale.place(from), scale.place(to)]
  return { left: percent(left), width: percent(right - left) }
}
