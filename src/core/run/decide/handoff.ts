/** A run goes to another engine, under a new epoch. */
import type { InputBody } from '../input.ts'
import { emitRun, type Workspace } from '../proceed/workspace.ts'
import { isTerminalRun } from '../state/transitions.ts'

export function decideHandoff(ws: Workspace, { payload }: Extract<InputBody, { kind: 'handoff' }>): void {
  if (isTerminalRun(ws.state.status)) return
  emitRun(ws, 'EngineHandoff', { ...payload, epoch: ws.epoch }, { attempt: ws.epoch })
}
