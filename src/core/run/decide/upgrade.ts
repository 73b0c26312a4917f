/** From this event on, newer rules decide. A run never returns to older rules: the log pins the version. */
import type { InputBody } from '../input.ts'
import { emitRun, type Workspace } from '../proceed/workspace.ts'
import { isTerminalRun } from '../state/transitions.ts'

export function decideUpgrade(ws: Workspace, { to }: Extract<InputBody, { kind: 'upgrade' }>): void {
  const { rulesVersion: from, status } = ws.state
  if (to <= from || isTerminalRun(status)) return
  emitRun(ws, 'RulesUpgraded', { from, to }, { attempt: to })
}
