/** The plan as it stands at the moment: each step with its state, its reason and the edges it waits for. */
import { useEffect, useMemo, useRef, type KeyboardEvent, type ReactElement } from 'react'
import type { PlanGraph } from '../../../src/core/plan/compile/graph.ts'
import { eventOf } from '../../../src/core/plan/plan.ts'
import type { RunSnapshot, StepSnapshot } from '../../../src/core/view/fold/run-snapshot.ts'
import { DrawnMark } from '../shown/state-mark.tsx'
import { statusLook, stepLook, type Look } from '../shown/states.ts'
import { layOut, NODE, type DrawnStep } from './graph-layout.ts'
import { chipOf } from './step-chip.ts'
import { selectStep } from '../history/use-moment.ts'

export interface GraphPaneProps {
  readonly graph: PlanGraph
  readonly snapshot: RunSnapshot
  readonly asOf: number
  readonly selected: string | undefined
}

const MARGIN = 12
/** A wide graph is drawn smaller, and scrolls where its names could not be read any more. */
const SMALLEST = 0.7

export function GraphPane({ graph, snapshot, asOf, selected }: GraphPaneProps): ReactElement {
  const drawing = useMemo(() => layOut(graph), [graph])
  const steps = useMemo(() => new Map(snapshot.steps.map((step) => [step.stepId, step])), [snapshot])
  const pane = useRef<HTMLDivElement>(null)
  useEffect(() => {
    pane.current?.querySelector('.node.chosen')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [selected])
  const [width, height] = [drawing.width + 2 * MARGIN, drawing.height + 2 * MARGIN]
  return (
    <div className="graph" ref={pane}>
      <svg
        style={{ maxWidth: width, minWidth: width * SMALLEST }}
        viewBox={`${-MARGIN} ${-MARGIN} ${width} ${height}`}
        role="group"
        aria-label="Graph of the plan"
      >
        {drawing.edges.map(({ from, to, path }) => (
          <path key={`${from} ${to}`} d={path} className={`edge ${isDone(steps.get(from)) ? 'passed' : ''}`} />
        ))}
        {drawing.steps.map((drawn) => (
          <Node
            key={drawn.stepId}
            drawn={drawn}
            step={steps.get(drawn.stepId)}
            kind={kindOf(graph, drawn.stepId)}
            asOf={asOf}
            isChosen={selected === drawn.stepId || selected?.startsWith(`${drawn.stepId}[`) === true}
          />
        ))}
      </svg>
    </div>
  )
}

interface NodeProps {
  readonly drawn: DrawnStep
  readonly step: StepSnapshot | undefined
  readonly kind: string
  readonly asOf: number
  readonly isChosen: boolean
}

const NAME_CHARS = 20
const CHIP_CHARS = 24

function Node({ drawn: { stepId, x, y }, step, kind, asOf, isChosen }: NodeProps): ReactElement {
  const look: Look = step === undefined ? statusLook('PENDING') : stepLook(step)
  const chip = step === undefined ? '' : chipOf(step, asOf)
  // A voice says what is written, and then the word for the mark.
  const [name, detail] = [cut(stepId, NAME_CHARS), cut(chip === '' ? kind : chip, CHIP_CHARS)]
  const choose = (): void => selectStep(stepId)
  const pressed = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' && event.key !== ' ') return
    event.preventDefault()
    choose()
  }
  return (
    <g
      className={`node tone-${look.tone} ${isChosen ? 'chosen' : ''}`}
      transform={`translate(${x} ${y})`}
      role="button"
      tabIndex={0}
      aria-pressed={isChosen}
      aria-label={`${name} ${detail}, ${look.word}`}
      onClick={choose}
      onKeyDown={pressed}
    >
      <rect width={NODE.width} height={NODE.height} rx={6} />
      <rect className="edge-mark" width={4} height={NODE.height} rx={2} />
      <DrawnMark look={look} x={12} y={7} />
      <text x={34} y={19} className="name">
        {`${name} `}
      </text>
      <text x={34} y={36} className="detail">
        {detail}
      </text>
    </g>
  )
}

function cut(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars - 1)}…`
}

function isDone(step: StepSnapshot | undefined): boolean {
  return step !== undefined && (step.status === 'SUCCESS' || step.status === 'SKIPPED' || step.recovered === true)
}

function kindOf(graph: PlanGraph, stepId: string): string {
  const index = graph.indexOf.get(stepId) ?? -1
  const step = graph.steps[index]
  if (step === undefined) return ''
  if (eventOf(step) !== undefined) return 'waits for an event'
  return 'run' in step ? step.run : (graph.kinds[index] ?? '')
}
