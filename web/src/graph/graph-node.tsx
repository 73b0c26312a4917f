/** A cell of the graph: a step with its state and reason, or a fold of several, which opens when it is chosen. */
import { memo, type KeyboardEvent, type ReactElement } from 'react'
import { DrawnMark } from '../shown/state-mark.tsx'
import type { Shape, Tone } from '../shown/states.ts'
import { plural } from '../shown/words.ts'
import { DETAIL_FONT, fitted, NAME_FONT } from './fitted.ts'
import { NODE } from './graph-layout.ts'

export interface GraphNodeProps {
  readonly name: string
  readonly detail: string
  readonly x: number
  readonly y: number
  readonly word: string
  readonly shape: Shape
  readonly tone: Tone
  readonly isChosen: boolean
  /** How many steps it holds; 1: it is a step. */
  readonly count: number
  /** When it runs at all, as the plan says; empty: always. */
  readonly condition: string
  readonly choose: (name: string) => void
  /** What `choose` is given. */
  readonly of: string
}

const TEXT_X = 31
const TEXT_WIDTH = NODE.width - TEXT_X - 4
const CONDITION_CHARS = 25

/** Drawn again only when something of it has changed: its fields are plain values. */
export const GraphNode = memo(function GraphNode(props: GraphNodeProps): ReactElement {
  const { x, y, word, shape, tone, isChosen, count, condition, choose, of } = props
  // A voice says what is written, and then the word for the mark; what was cut is told by the title.
  const [name, detail] = [fitted(props.name, NAME_FONT, TEXT_WIDTH), fitted(props.detail, DETAIL_FONT, TEXT_WIDTH)]
  const look = { word, shape, tone }
  const pressed = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' && event.key !== ' ') return
    event.preventDefault()
    choose(of)
  }
  const isFold = count > 1
  const more = [isFold ? plural(count, 'step') : '', condition, word].filter((part) => part !== '').join(', ')
  return (
    <g transform={`translate(${x} ${y})`}>
      <g
        className={`node tone-${tone} ${isChosen ? 'chosen' : ''} ${isFold ? 'fold' : ''}`}
        role="button"
        tabIndex={0}
        aria-label={`${name} ${detail}, ${more}`}
        {...(isFold ? { 'aria-expanded': false } : { 'aria-pressed': isChosen })}
        onClick={() => choose(of)}
        onKeyDown={pressed}
      >
        {name === props.name && detail === props.detail ? null : (
          <title>{`${props.name} ${props.detail}`.trim()}</title>
        )}
        {isFold ? <rect className="behind-fold" x={5} y={5} width={NODE.width} height={NODE.height} rx={6} /> : null}
        <rect className="card" width={NODE.width} height={NODE.height} rx={6} />
        <rect className="edge-mark" width={4} height={NODE.height} rx={2} />
        <DrawnMark look={look} x={10} y={7} />
        <text x={TEXT_X} y={19} className="name">
          {`${name} `}
        </text>
        <text x={TEXT_X} y={36} className="detail">
          {detail}
        </text>
      </g>
      {condition === '' ? null : <Condition text={condition} />}
    </g>
  )
})

/** On the edge that leads to the step; a voice hears it with the step. */
function Condition({ text }: { readonly text: string }): ReactElement {
  return (
    <g className="condition" aria-hidden="true">
      <title>{text}</title>
      <path d={`M-12 ${NODE.height / 2}l5 -5l5 5l-5 5z`} />
      <text x={2} y={-4}>
        {cut(text, CONDITION_CHARS)}
      </text>
    </g>
  )
}

function cut(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars - 1)}…`
}
