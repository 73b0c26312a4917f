/** All cells as one path for each tone: how a graph of thousands looks from far away, where a name could not be read. */
import type { Look, Tone } from '../shown/states.ts'
import { NODE, type DrawnCell } from './graph-layout.ts'

export interface TonePath {
  readonly tone: Tone
  readonly path: string
}

const CELL = `h${NODE.width}v${NODE.height}h-${NODE.width}z`

export function tonePaths(cells: readonly DrawnCell[], looks: readonly Look[]): readonly TonePath[] {
  const paths = new Map<Tone, string[]>()
  cells.forEach(({ x, y }, index) => {
    const tone = looks[index]?.tone ?? 'idle'
    const known = paths.get(tone)
    const part = `M${Math.round(x)} ${Math.round(y)}${CELL}`
    if (known === undefined) paths.set(tone, [part])
    else known.push(part)
  })
  return [...paths].map(([tone, parts]) => ({ tone, path: parts.join('') }))
}
