/**
 * The end of a run that undoes another: completed when every hook has done its work, failed when one could not, with what
 * became of each of them (DESIGN §5, CMP-06).
 */
import type { Payload } from '../../events/event.ts'
import type { RunState } from '../state.ts'
import { undoSummary } from './finish.ts'
import { undoNext } from './undo.ts'
import { emitRun, hasRoom, type Workspace } from './workspace.ts'

export function endUndoRun(ws: Workspace): void {
  if (undoNext(ws) || !hasRoom(ws)) return
  const summary = undoSummary(ws.state, 0)
  const compensation = summary === undefined ? {} : { compensation: summary }
  if ((ws.state.undo?.failed ?? 0) === 0) {
    emitRun(ws, 'RunCompleted', { completedAt: ws.nowIso, artifactRefs: [], ...compensation })
    return
  }
  emitRun(ws, 'RunFailed', { failedAt: ws.nowIso, error: undoneFailure(ws.state), ...compensation })
}

/** Undoing has had its own tries; nothing tries it again by itself. */
export function undoneFailure(state: RunState): Payload<'RunFailed'>['error'] {
  if (state.cancelling !== undefined) return { code: 'CANCELLED', retryable: false, errorClass: 'cancelled' }
  return { code: 'COMPENSATION_INCOMPLETE', retryable: false, errorClass: 'permanent' }
}
