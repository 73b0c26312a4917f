/** The shape of a state, and the state as a chip. */
import type { ReactElement } from 'react'
import type { Look, Shape } from './states.ts'

const PATHS: Readonly<Record<Shape, string>> = {
  ring: 'M8 3a5 5 0 1 0 0 10a5 5 0 1 0 0-10z',
  disc: 'M8 3a5 5 0 1 0 0 10a5 5 0 1 0 0-10zM8 7.5h.01',
  play: 'M5 3.5v9l7.5-4.5z',
  bars: 'M5.5 3.5v9M10.5 3.5v9',
  check: 'M3 8.5l3.5 3.5l6.5-8',
  cross: 'M4 4l8 8M12 4l-8 8',
  slash: 'M8 3a5 5 0 1 0 0 10a5 5 0 1 0 0-10zM4.5 11.5l7-7',
  again: 'M12.5 8a4.5 4.5 0 1 1-1.5-3.4M12.5 2.5v2.6h-2.6',
  person: 'M8 3a2.2 2.2 0 1 0 0 4.4a2.2 2.2 0 1 0 0-4.4zM3.5 13c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4',
  back: 'M6 3L3 6l3 3M3 6h6a3.5 3.5 0 0 1 0 7H6',
  plus: 'M8 3v10M3 8h10',
  minus: 'M3 8h10',
  clock: 'M8 3a5 5 0 1 0 0 10a5 5 0 1 0 0-10zM8 5.2v3l2 1.4',
  wave: 'M2.5 9.5c2-4 4-4 5.5-1.5s3.5 2.5 5.5-1.5',
}

export function StateMark({ look, size = 14 }: { readonly look: Look; readonly size?: number }): ReactElement {
  return (
    <svg className={`mark tone-${look.tone}`} width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      <path d={PATHS[look.shape]} className={look.shape === 'play' ? 'filled' : ''} />
    </svg>
  )
}

/** The same inside a drawing. */
export function DrawnMark({
  look,
  x,
  y,
}: {
  readonly look: Look
  readonly x: number
  readonly y: number
}): ReactElement {
  return (
    <g className={`mark tone-${look.tone}`} transform={`translate(${x} ${y})`} aria-hidden="true">
      <path d={PATHS[look.shape]} className={look.shape === 'play' ? 'filled' : ''} />
    </g>
  )
}

export function StateChip({ look }: { readonly look: Look }): ReactElement {
  return (
    <span className={`chip tone-${look.tone}`}>
      <StateMark look={look} />
      <span className="word">{look.word}</span>
    </span>
  )
}
