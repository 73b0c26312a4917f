/**
 * The record of a refusal: it changes nothing, the task stays open, and its token is good for somebody else (MAN-07).
 */
import { cutText } from '../../cut-text.ts'
import { signalSlot } from '../../events/slot.ts'
import { LIMITS } from '../../limits.ts'
import type { Outcome } from '../input.ts'
import { actorOf, type Refusal, type Told } from '../people/judge-person.ts'
import { emit, type Workspace } from '../proceed/workspace.ts'
import { APPROVE, COMPLETE_TASK } from '../signals/catalogue.ts'

export function refuseCompletion(
  ws: Workspace,
  report: { readonly slot: string; readonly outcome: Outcome } & Told,
  refusal: Refusal,
): void {
  const { slot, outcome, seenChanges, notAssigned } = report
  const signalPayload = {
    completion: completionWord(outcome),
    ...(seenChanges === undefined ? {} : { seenChanges }),
    ...(notAssigned === undefined ? {} : { notAssigned }),
  }
  refuse(ws, COMPLETE_TASK, actorOf(outcome), refusal, { target: slot, data: { signalPayload } })
}

export function refuseApproval(ws: Workspace, approvedBy: string, refusal: Refusal): void {
  refuse(ws, APPROVE, approvedBy, refusal, { data: { signalPayload: {} } })
}

interface About {
  readonly target?: string
  readonly data: { readonly signalPayload: Readonly<Record<string, unknown>> }
}

/** Such a refusal has no id of its own: it is numbered. */
function refuse(ws: Workspace, signalType: string, actorId: string | undefined, refusal: Refusal, about: About): void {
  const signalId = `${signalType}-${ws.state.refusals + 1}`
  const payload = {
    signalId,
    signalType,
    policyDecisionId: signalId,
    ...(actorId === undefined ? {} : { actorId }),
    decision: 'REJECTED',
    reasonCode: refusal.code,
    reason: cutText(refusal.why, LIMITS.refusalChars),
    ...(about.target === undefined ? {} : { target: about.target }),
  } as const
  emit(ws, 'SignalRejected', signalSlot(signalId), 1, payload, { data: about.data })
}

function completionWord(outcome: Outcome): 'Succeeded' | 'Failed' | 'Cancelled' {
  if (outcome.kind === 'completed') return 'Succeeded'
  return outcome.error.code === 'MANUAL_CANCELLED' ? 'Cancelled' : 'Failed'
}
