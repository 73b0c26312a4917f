/**
 * The plan as it stands at the moment: each step with its state, its reason and the edges it waits for. Of a large plan only what is
 * on the screen is drawn, in folds that open; from far away it is colours without names.
 */
import { useCallback, useEffect, useMemo, useRef, useState, type ReactElement } from 'react'
import type { PlanGraph } from '../../../src/core/plan/compile/graph.ts'
import type { Cause } from '../../../src/core/run/explain/explain.ts'
import { setQuery } from '../address/address.ts'
import { selectStep } from '../history/use-moment.ts'
import { useWindow, type Seen } from '../shown/use-window.ts'
import { waitKind } from '../shown/wait-kind.ts'
import { cellDrawnAs, cellLook, type DrawnAs } from './cell-look.ts'
import { GraphDrawing, type Frame, type ShownRun } from './graph-drawing.tsx'
import { NODE, type DrawnCell, type Drawing } from './graph-layout.ts'
import { GraphTools } from './graph-tools.tsx'
import { Minimap } from './minimap.tsx'
import type { Around } from './step-chip.ts'
import { tonePaths } from './tone-paths.ts'
import { UNDO_DEPTH } from './undo-path.ts'
import { useFolds } from './use-folds.ts'
import { useFarClick, usePan } from './use-pan.ts'
import { useZoom } from './use-zoom.ts'

export interface GraphPaneProps {
  readonly graph: PlanGraph
  readonly snapshot: ShownRun
  readonly asOf: number
  readonly selected: string | undefined
  readonly doneBy: (stepId: string) => string | undefined
  readonly whyOf?: (stepId: string) => readonly Cause[] | undefined
  /** How a step is drawn where it is not a run that is shown, but a plan. */
  readonly drawnAs?: ((stepId: string) => DrawnAs | undefined) | undefined
}

const MARGIN = 14
const FIRST_SEEN: Seen = { left: 0, top: 0, width: 700, height: 400 }
/** It is drawn anew after so many pixels of scrolling, with as many drawn beyond the screen. */
const TILE = 160
/** Fewer cells are all drawn. */
const MANY = 150
const FAR = 0.35
/** A drawing so much larger than its pane has a small picture of all of it. */
const MUCH_LARGER = 2.5

export function GraphPane({ graph, snapshot, asOf, selected, doneBy, whyOf, drawnAs }: GraphPaneProps): ReactElement {
  const box = useRef<HTMLDivElement>(null)
  const { drawing, hasFolds, open, setOpen, openFor } = useFolds(graph)
  const seen = useWindow(box, FIRST_SEEN, TILE)
  const below = graph.steps.some(({ compensate }) => compensate !== undefined) ? UNDO_DEPTH : 0
  const [width, height] = [drawing.width + 2 * MARGIN, drawing.height + 2 * MARGIN + below]
  const zoom = useZoom(box, seen.width, width)
  const { scale } = zoom
  usePan(box)
  const steps = useMemo(() => new Map(snapshot.steps.map((step) => [step.stepId, step])), [snapshot])
  const looks = useMemo(
    () =>
      drawing.cells.map((cell) => {
        const ids = cell.steps.map((step) => graph.stepIds[step] ?? '')
        if (drawnAs !== undefined) return cellDrawnAs(ids.map(drawnAs))
        return cellLook(
          ids.map((id) => steps.get(id)),
          waitKind(graph, ids[0] ?? ''),
        )
      }),
    [drawing, graph, steps, drawnAs],
  )
  const cellOf = useCellOf(graph, drawing)
  const chosen = selected === undefined ? undefined : cellOf(selected.replace(/\[.*$/, ''))
  const go = (x: number, y: number): void =>
    box.current?.scrollTo((x + MARGIN) * scale - seen.width / 2, (y + MARGIN) * scale - seen.height / 2)
  const [sought, setSought] = useState(0)
  useChosenInView(box, chosen, scale, sought)
  const choose = useCallback(
    (key: string): void => (graph.indexOf.has(key) ? selectStep(key) : setOpen(new Set([...(open ?? []), key]))),
    [graph, open, setOpen],
  )
  const find = (stepId: string): void => {
    setSought(sought + 1)
    setQuery({ step: stepId, open: hasFolds ? openFor(stepId) : undefined, zoom: '1' })
  }
  const isFar = scale < FAR && drawing.cells.length > MANY
  const isLarge = width * scale > seen.width * MUCH_LARGER || height * scale > seen.height * MUCH_LARGER
  useFarClick(box, isFar, (x, y) => {
    const found = cellAt(drawing, x / scale - MARGIN, y / scale - MARGIN)
    if (found !== undefined) setQuery({ zoom: '1', ...(found.steps.length === 1 ? { step: found.key } : {}) })
  })
  const around: Around = { graph, status: snapshot.status, steps, doneBy, whyOf }
  const frame = useFrame(seen, scale, drawing)
  return (
    <div className="graph-frame">
      <GraphTools stepIds={graph.stepIds} onOpen={setOpen} onFind={find} {...{ zoom, hasFolds, open }} />
      <div className="graph" ref={box} role="region" aria-label="Drawing of the plan" tabIndex={0}>
        <svg
          style={{ width: width * scale, height: height * scale }}
          viewBox={`${-MARGIN} ${-MARGIN} ${width} ${height}`}
          role="group"
          aria-label="Graph of the plan"
        >
          <marker id="undo-tip" viewBox="0 0 8 8" refX="6" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M1 1L7 4L1 7" className="undo-tip" />
          </marker>
          {isFar ? (
            tonePaths(drawing.cells, looks).map(({ tone, path }) => (
              <path key={tone} d={path} className={`far tone-${tone}`} />
            ))
          ) : (
            <GraphDrawing {...{ drawing, looks, frame, snapshot, around, asOf, chosen, cellOf, choose }} />
          )}
        </svg>
      </div>
      {isLarge ? <Minimap {...{ drawing, looks, seen, scale, go }} /> : null}
    </div>
  )
}

/** The same object until another part is to be drawn. */
function useFrame({ left, top, width, height }: Seen, scale: number, { cells }: Drawing): Frame {
  const isWhole = cells.length <= MANY
  return useMemo(() => {
    if (isWhole) return { left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity }
    return {
      left: (left - TILE) / scale,
      top: (top - TILE) / scale,
      right: (left + width + 2 * TILE) / scale,
      bottom: (top + height + 2 * TILE) / scale,
    }
  }, [isWhole, left, top, width, height, scale])
}

function useCellOf(graph: PlanGraph, drawing: Drawing): (stepId: string) => DrawnCell | undefined {
  return useMemo(() => {
    const cells = new Map(drawing.cells.flatMap((cell) => cell.steps.map((step) => [graph.stepIds[step] ?? '', cell])))
    return (stepId) => cells.get(stepId)
  }, [graph, drawing])
}

/** What is chosen anywhere on the page, or sought once more, comes into the middle if it is not to be seen. */
function useChosenInView(
  box: { readonly current: HTMLElement | null },
  chosen: DrawnCell | undefined,
  scale: number,
  sought: number,
): void {
  const [x, y] = [chosen?.x, chosen?.y]
  const latest = useRef(scale)
  useEffect(() => {
    latest.current = scale
  })
  useEffect(() => {
    const pane = box.current
    if (pane === null || x === undefined || y === undefined) return
    const [left, top] = [(x + MARGIN) * latest.current, (y + MARGIN) * latest.current]
    const [right, bottom] = [left + NODE.width * latest.current, top + NODE.height * latest.current]
    const isSeen =
      left >= pane.scrollLeft &&
      top >= pane.scrollTop &&
      right <= pane.scrollLeft + pane.clientWidth &&
      bottom <= pane.scrollTop + pane.clientHeight
    if (!isSeen) pane.scrollTo((left + right - pane.clientWidth) / 2, (top + bottom - pane.clientHeight) / 2)
  }, [box, x, y, sought])
}

function cellAt({ cells }: Drawing, x: number, y: number): DrawnCell | undefined {
  return cells.find((cell) => x >= cell.x && x <= cell.x + NODE.width && y >= cell.y && y <= cell.y + NODE.height)
}
