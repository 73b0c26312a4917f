/**
 * A new driver takes the run over. What was in flight is owed again under the new epoch, except an irreversible
 * attempt that had begun: nobody knows whether it happened, so it is never run again (P-28).
 */
import type { InputBody } from '../input.ts'
import { locate, stepAt } from '../state/units.ts'
import { failStep } from '../proceed/fail-step.ts'
import { INDETERMINATE_ERROR } from '../failure/step-errors.ts'
import type { Workspace } from '../proceed/workspace.ts'

export function decideAdopt(ws: Workspace, input: Extract<InputBody, { kind: 'adopt' }>): void {
  for (const claim of input.claims) {
    const found = locate(ws.state, claim.slot)
    if (found === undefined) continue
    const { unit } = found
    const begun = unit.status === 'RUNNING' && unit.attempt === claim.attempt
    if (!begun || stepAt(ws.state.graph, unit.step).effect !== 'irreversible') continue
    failStep(ws, unit, { error: INDETERMINATE_ERROR, forced: true, final: true })
  }
}
