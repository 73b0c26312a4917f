/** Why a run as a whole does not move: it is paused or held; and the command that would move it. */
import { snapshotOf } from '../../../core/view/show/snapshot-of.ts'
import { flow, widthOf } from '../terminal/flow.ts'
import { countdown, shortId } from '../terminal/format.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { RunWatch } from './run-watch.ts'

export function isHeld({ view }: RunWatch): boolean {
  return snapshotOf(view).substatus?.endsWith('/HOLDING') === true
}

export function standing(terminal: Terminal, watch: RunWatch, now: number): readonly string[] {
  const { pausedSinceMs, status } = watch.view.run
  const { yellow, cyan } = terminal.paint
  const id = shortId(watch.handle.runId)
  const lines = (what: string, command: string): readonly string[] =>
    flow(
      [
        { text: `  ‖ ${what}`, paint: yellow },
        { text: command, paint: cyan },
      ],
      widthOf(terminal),
    )
  if (status === 'PAUSED' && pausedSinceMs !== undefined)
    return lines(`paused for ${countdown(now - pausedSinceMs)}`, `keelson resume ${id}`)
  if (isHeld(watch)) return lines('held: a person must decide', `keelson why ${id}`)
  return []
}
