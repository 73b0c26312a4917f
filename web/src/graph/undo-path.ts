/** Compensation as a second path, drawn below the cells and backwards: from what failed to each step in the order in which it is undone. */
import type { RunSnapshot } from '../../../src/core/view/fold/run-snapshot.ts'
import { stepLook, type Tone } from '../shown/states.ts'
import { NODE, type DrawnCell } from './graph-layout.ts'

export interface UndoArc {
  readonly key: string
  readonly path: string
  readonly tone: Tone
}

/** Before the cell, so that the tip touches it. */
const TIP = 2

/** How far below the cells it runs. */
export const UNDO_DEPTH = 26

export function undoPathOf(
  { steps, rootCause }: Pick<RunSnapshot, 'steps' | 'rootCause'>,
  cellOf: (stepId: string) => DrawnCell | undefined,
): readonly UndoArc[] {
  const undone = steps
    .filter(({ compensation }) => compensation?.startedAt !== undefined)
    .sort((a, b) => ((a.compensation?.startedAt ?? '') < (b.compensation?.startedAt ?? '') ? -1 : 1))
  const arcs: UndoArc[] = []
  let from = cellOf(rootCause?.parentStepId ?? rootCause?.stepId ?? '')
  for (const step of undone) {
    const to = cellOf(step.stepId)
    if (from !== undefined && to !== undefined && from.key !== to.key)
      arcs.push({ key: `${from.key} ${to.key}`, path: arc(from, to), tone: stepLook(step).tone })
    from = to ?? from
  }
  return arcs
}

/** It ends beside the middle of the lower edge, where the next one begins; in one layer it goes straight up or down. */
function arc(from: DrawnCell, to: DrawnCell): string {
  if (from.x === to.x) {
    const x = from.x + NODE.width / 2
    return from.y < to.y ? `M${x} ${from.y + NODE.height}V${to.y - TIP}` : `M${x} ${from.y}V${to.y + NODE.height + TIP}`
  }
  const [x, y] = [from.x + NODE.width / 2 - 14, from.y + NODE.height]
  const [toX, toY] = [to.x + NODE.width / 2 + 14, to.y + NODE.height + TIP]
  const low = Math.max(y, toY) + UNDO_DEPTH
  return `M${x} ${y}C${x} ${low} ${toX} ${low} ${toX} ${toY}`
}
