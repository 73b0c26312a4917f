/** The mark on an old run that another was made of it: only after its end (P-31). */
import { forkSlot } from '../../events/slot.ts'
import type { InputBody } from '../input.ts'
import { emit, type Workspace } from '../proceed/workspace.ts'
import { isTerminalRun } from '../state/transitions.ts'

export function decideFork(ws: Workspace, { payload }: Extract<InputBody, { kind: 'fork' }>): void {
  if (!isTerminalRun(ws.state.status)) return
  emit(ws, 'RunForked', forkSlot(payload.newRunId), 1, payload)
}
