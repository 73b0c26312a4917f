/**
 * The end of a run that undoes another: completed when every compensation has done its work, failed when one could not, with what
 * became of each of them.
 */
import { compensationFailure, compensationSummary } from '../compensation/summary.ts'
import { compensateNext } from './compensate.ts'
import { emitRun, hasRoom, type Workspace } from './workspace.ts'

export function endCompensationRun(ws: Workspace): void {
  if (compensateNext(ws) || !hasRoom(ws)) return
  const summary = compensationSummary(ws.state, 0)
  const compensation = summary === undefined ? {} : { compensation: summary }
  if ((ws.state.compensation?.failed ?? 0) === 0) {
    emitRun(ws, 'RunCompleted', { completedAt: ws.nowIso, artifactRefs: [], ...compensation })
    return
  }
  emitRun(ws, 'RunFailed', { failedAt: ws.nowIso, error: compensationFailure(ws.state), ...compensation })
}
