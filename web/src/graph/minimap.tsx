/** The whole graph in a corner, with what of it is on the screen. A click goes there; without a mouse there is the search. */
import { useMemo, type MouseEvent, type ReactElement } from 'react'
import type { Seen } from '../shown/use-window.ts'
import type { Look } from '../shown/states.ts'
import type { Drawing } from './graph-layout.ts'
import { tonePaths } from './tone-paths.ts'

export interface MinimapProps {
  readonly drawing: Drawing
  readonly looks: readonly Look[]
  readonly seen: Seen
  readonly scale: number
  /** To a place of the drawing. */
  readonly go: (x: number, y: number) => void
}

const WIDTH = 168
const HEIGHT = 96

export function Minimap({ drawing, looks, seen, scale, go }: MinimapProps): ReactElement {
  const { cells, width, height } = drawing
  const paths = useMemo(() => tonePaths(cells, looks), [cells, looks])
  const clicked = (event: MouseEvent<SVGSVGElement>): void => {
    const box = event.currentTarget.getBoundingClientRect()
    go(((event.clientX - box.left) / box.width) * width, ((event.clientY - box.top) / box.height) * height)
  }
  return (
    <svg
      className="minimap"
      width={WIDTH}
      height={HEIGHT}
      viewBox={`0 0 ${width} ${height}`}
      preserveAspectRatio="none"
      aria-hidden="true"
      onClick={clicked}
    >
      {paths.map(({ tone, path }) => (
        <path key={tone} d={path} className={`far tone-${tone}`} />
      ))}
      <rect
        className="here"
        x={seen.left / scale}
        y={seen.top / scale}
        width={Math.min(width, seen.width / scale)}
        height={Math.min(height, seen.height / scale)}
      />
    </svg>
  )
}
