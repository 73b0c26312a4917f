/** The record that data of an ended run was erased; the events stay. */
import { RUN_SLOT } from '../../events/slot.ts'
import type { InputBody } from '../input.ts'
import { emit, type Workspace } from '../proceed/workspace.ts'
import { isTerminalRun } from '../state/transitions.ts'

export function decideErase(ws: Workspace, { payload, notes }: Extract<InputBody, { kind: 'erase' }>): void {
  if (!isTerminalRun(ws.state.status)) return
  const data = notes === undefined ? undefined : { notes }
  emit(ws, 'ErasureRecorded', RUN_SLOT, ws.state.erasures + 1, payload, { data })
}
