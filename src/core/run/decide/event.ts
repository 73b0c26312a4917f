/**
 * An event from outside that reached a wait (P-54): its data is the output of the step. One that comes after the wait has
 * ended, or that has ended another wait of the run, decides nothing.
 */
import type { InputBody } from '../input.ts'
import { awaitsEvent } from '../state/event-waits.ts'
import { locate } from '../state/units.ts'
import { failStep, waitedMs } from '../proceed/fail-step.ts'
import { emit, unitEngineAttempt, type Workspace } from '../proceed/workspace.ts'

export function decideEvent(ws: Workspace, input: Extract<InputBody, { kind: 'event' }>): void {
  const { eventId, sentAt, slot, attempt, outcome } = input
  const unit = locate(ws.state, slot)?.unit
  if (unit === undefined || !awaitsEvent(ws.state, input)) return
  const receivedEvent = { id: eventId, sentAt }
  if (outcome.kind === 'failed') {
    failStep(ws, unit, { error: outcome.error, data: outcome.data, receivedEvent })
    return
  }
  const payload = { ...outcome.payload, ...waitedMs(ws, unit), completedAt: ws.nowIso, receivedEvent }
  emit(ws, 'StepCompleted', slot, attempt, payload, {
    engineAttempt: unitEngineAttempt(ws, unit),
    data: outcome.data,
    unit,
  })
}
