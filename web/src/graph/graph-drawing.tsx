/** The part of the graph that is on the screen: its edges as two paths, its cells, and what is undone. */
import { useMemo, type ReactElement } from 'react'
import type { RunSnapshot, StepSnapshot } from '../../../src/core/view/fold/run-snapshot.ts'
import { actionKind, eventOf, type Step } from '../../../src/core/plan/plan.ts'
import type { CellLook } from './cell-look.ts'
import { GraphNode } from './graph-node.tsx'
import { NODE, type DrawnCell, type DrawnEdge, type Drawing } from './graph-layout.ts'
import { nodeChip, type Around } from './step-chip.ts'
import { undoPathOf } from './undo-path.ts'

/** What of the drawing is to be drawn. */
export interface Frame {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

/** What of a run is drawn. */
export type ShownRun = Pick<RunSnapshot, 'status' | 'steps' | 'rootCause'>

export interface GraphDrawingProps {
  readonly drawing: Drawing
  readonly looks: readonly CellLook[]
  readonly frame: Frame
  readonly snapshot: ShownRun
  readonly around: Around
  readonly asOf: number
  readonly chosen: DrawnCell | undefined
  readonly cellOf: (stepId: string) => DrawnCell | undefined
  readonly choose: (key: string) => void
}

export function GraphDrawing(props: GraphDrawingProps): ReactElement {
  const { drawing, looks, frame, snapshot, around, asOf, chosen, cellOf, choose } = props
  const cells = useMemo(() => drawing.cells.flatMap((cell, at) => (isIn(cell, frame) ? [at] : [])), [drawing, frame])
  const edges = useMemo(() => drawing.edges.filter((edge) => crosses(edge, frame)), [drawing, frame])
  const passed = (edge: DrawnEdge): boolean =>
    drawing.cells[edge.from]?.steps.every((step) => isDone(around.steps.get(around.graph.stepIds[step] ?? ''))) === true
  const join = (some: readonly DrawnEdge[]): string => some.map(({ path }) => path).join('')
  return (
    <>
      <path d={join(edges.filter((edge) => !passed(edge)))} className="edge" />
      <path d={join(edges.filter(passed))} className="edge passed" />
      {undoPathOf(snapshot, cellOf).map(({ key, path, tone }) => (
        <path key={key} d={path} className={`undo-arc tone-${tone}`} markerEnd="url(#undo-tip)" />
      ))}
      {cells.map((at) => {
        const cell = drawing.cells[at]
        const look = looks[at]
        if (cell === undefined || look === undefined) return null
        const { key, name, x, y } = cell
        const only = cell.steps.length === 1 ? around.graph.steps[cell.steps[0] ?? -1] : undefined
        return (
          <GraphNode
            key={key}
            {...{ name, x, y, choose }}
            of={key}
            word={look.word}
            shape={look.shape}
            tone={look.tone}
            detail={only === undefined || look.chip !== '' ? look.chip : detailOf(only, around, asOf)}
            condition={only === undefined ? '' : conditionOf(only)}
            count={cell.steps.length}
            isChosen={chosen === cell}
          />
        )
      })}
    </>
  )
}

function detailOf(step: Step, around: Around, asOf: number): string {
  const shown = around.steps.get(step.stepId)
  const chip = shown === undefined ? '' : nodeChip(shown, asOf, around)
  return chip === '' ? kindOf(step) : chip
}

function kindOf(step: Step): string {
  if (eventOf(step) !== undefined) return 'waits for an event'
  return 'run' in step ? step.run : actionKind(step)
}

function conditionOf({ if: when, unless }: Step): string {
  return [when === undefined ? '' : `if ${when}`, unless === undefined ? '' : `unless ${unless}`]
    .filter((part) => part !== '')
    .join(' ')
}

function isDone(step: StepSnapshot | undefined): boolean {
  return step !== undefined && (step.status === 'SUCCESS' || step.status === 'SKIPPED' || step.recovered === true)
}

function isIn({ x, y }: DrawnCell, { left, top, right, bottom }: Frame): boolean {
  return x + NODE.width >= left && x <= right && y + NODE.height >= top && y <= bottom
}

function crosses(edge: DrawnEdge, { left, top, right, bottom }: Frame): boolean {
  return edge.right >= left && edge.left <= right && edge.bottom >= top && edge.top <= bottom
}
