/** When what happened: a row for each step, its attempts as bars, pauses of the run behind them, and the cursor in front. */
import { useEffect, useMemo, useRef, type CSSProperties, type ReactElement } from 'react'
import type { At } from '../history/at.ts'
import { useKeys } from '../keys/use-keys.ts'
import { useWindow } from '../shown/use-window.ts'
import { waitKind } from '../shown/wait-kind.ts'
import { Lane, LANE_HEIGHT, percent, span } from './lane.tsx'
import { nameWidthOf } from './name-width.ts'
import { Legend } from './legend.tsx'
import { pausesOf } from './pauses.ts'
import { Ruler } from './ruler.tsx'
import { marksOf, type Mark } from './segments.ts'
import { timeScale, type Range } from './time-scale.ts'
import { useBrush } from './use-brush.ts'
import { useRange, zoomed } from './use-range.ts'

export interface TimelinePaneProps {
  readonly at: At
  /** Moves with the log: the scale stays where it is while the cursor moves. */
  readonly lastSeq: number
  /** The end of the scale. */
  readonly until: number
}

const SPARE_ROWS = 8
const TILE = LANE_HEIGHT * 4
/** Between the names and the bars, and after the bars. */
const BESIDE_NAMES = 20
const NONE: readonly string[] = []

export function TimelinePane({ at, lastSeq, until }: TimelinePaneProps): ReactElement {
  const { history, view, snapshot, asOf, moment } = at
  const { graph, instants, runMoves } = history
  const box = useRef<HTMLDivElement>(null)
  const bars = useRef<HTMLDivElement>(null)
  const all = useMemo(() => rising(instants, until), [instants, lastSeq, until])
  const [first, last] = [all[0] ?? 0, all.at(-1) ?? 0]
  const { range, show } = useRange(first, last)
  const scale = useMemo(() => timeScale(all, range), [all, range?.from, range?.to])
  const zoom = (factor: number): void => show(zoomed(scale, asOf, factor))
  useKeys({ '+': () => zoom(0.5), '-': () => zoom(2), '0': () => show(undefined) })
  const brushed = useBrush(box, bars, (part) =>
    show(part === undefined ? undefined : { from: scale.instantAt(part.from), to: scale.instantAt(part.to) }),
  )
  const { top, height, width } = useWindow(box, FIRST_SEEN, TILE)
  const nameWidth = nameWidthOf(graph?.stepIds ?? NONE, width)
  const begin = Math.max(0, Math.floor(top / LANE_HEIGHT) - SPARE_ROWS)
  const rows = snapshot.steps.slice(begin, Math.ceil((top + height + TILE) / LANE_HEIGHT) + SPARE_ROWS)
  const pauses = pausesOf(runMoves, snapshot.lastEventSeq, asOf)
  const marks = useMemo(
    () => new Set<Mark>(snapshot.steps.flatMap((step) => marksOf(step, waitKind(graph, step.stepId)))),
    [snapshot, graph],
  )
  const selected = moment.step?.replace(/\[.*$/, '')
  useRowInView(box, selected === undefined ? -1 : snapshot.steps.findIndex(({ stepId }) => stepId === selected))
  return (
    <div className="timeline" style={{ '--name': `${nameWidth}px` } as CSSProperties}>
      <Ruler scale={scale} isPart={range !== undefined} width={width - nameWidth - BESIDE_NAMES} />
      <div className="lanes" ref={box} role="group" aria-label="Steps over time">
        <div className="lane-room" style={{ height: snapshot.steps.length * LANE_HEIGHT }}>
          <div className="behind" aria-hidden="true" ref={bars}>
            {pauses.map(({ from, to }) =>
              isIn(scale, { from, to }) ? <span key={from} className="pause" style={span(scale, from, to)} /> : null,
            )}
            {scale.ticks.map(({ ms, at: place }) => (
              <span key={ms} className="tick-line" style={{ left: percent(place) }} />
            ))}
            {isIn(scale, { from: asOf, to: asOf }) ? (
              <span className="cursor" style={{ left: percent(scale.place(asOf)) }} />
            ) : null}
            {brushed === undefined ? null : (
              <span
                className="brush"
                style={{ left: percent(brushed.from), width: percent(brushed.to - brushed.from) }}
              />
            )}
          </div>
          {rows.map((step, index) => (
            <Lane
              key={step.stepId}
              waits={waitKind(graph, step.stepId)}
              top={(begin + index) * LANE_HEIGHT}
              isChosen={selected === step.stepId}
              {...{ step, view, scale, asOf }}
            />
          ))}
        </div>
      </div>
      <Legend
        marks={pauses.length === 0 ? marks : new Set<Mark>([...marks, 'pause'])}
        zoom={zoom}
        move={(parts) => show(moved(scale, parts, { from: first, to: last }))}
        whole={range === undefined ? undefined : () => show(undefined)}
      />
    </div>
  )
}

const FIRST_SEEN = { left: 0, top: 0, width: 600, height: 400 }

function useRowInView(box: { readonly current: HTMLElement | null }, row: number): void {
  useEffect(() => {
    const lanes = box.current
    if (lanes === null || row < 0) return
    const at = row * LANE_HEIGHT
    if (at < lanes.scrollTop || at + LANE_HEIGHT > lanes.scrollTop + lanes.clientHeight)
      lanes.scrollTo({ top: at - lanes.clientHeight / 2 })
  }, [box, row])
}

/** Clocks of several hosts may disagree: then the order is not that of the log. */
function rising(instants: readonly number[], until: number): readonly number[] {
  const isRising = instants.every((ms, index) => index === 0 || ms >= (instants[index - 1] ?? 0))
  const all = isRising ? instants : [...instants].sort((a, b) => a - b)
  return until > (all.at(-1) ?? 0) ? [...all, until] : [...all]
}

function moved({ from, to }: Range, parts: number, all: Range): Range {
  const by = Math.max(all.from - from, Math.min(all.to - to, (to - from) * parts))
  return { from: from + by, to: to + by }
}

function isIn(scale: Range, { from, to }: Range): boolean {
  return to >= scale.from && from <= scale.to
}
