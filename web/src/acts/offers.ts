/** Which acts a run and a step offer now, by the core's own rules; and why this person may not do one that others may. */
import type { Me } from '../../../src/client/connect.ts'
import { SIGNALS } from '../../../src/core/run/signals/catalogue.ts'
import { sufficientRole } from '../../../src/core/run/signals/roles.ts'
import { signalVerdict } from '../../../src/core/run/signals/rules.ts'
import type { InputBody } from '../../../src/core/run/input.ts'
import type { RunState } from '../../../src/core/run/state/state.ts'

export type Act = 'PAUSE' | 'RESUME' | 'CANCEL' | 'UPDATE_PARAMS' | 'RETRY_STEP' | 'SKIP_STEP'

export const ACT_WORDS: Readonly<Record<Act, string>> = {
  PAUSE: 'Pause',
  RESUME: 'Resume',
  CANCEL: 'Cancel',
  UPDATE_PARAMS: 'Change params',
  RETRY_STEP: 'Retry step',
  SKIP_STEP: 'Skip step',
}

export const RUN_ACTS: readonly Act[] = ['PAUSE', 'RESUME', 'CANCEL', 'UPDATE_PARAMS']
export const STEP_ACTS: readonly Act[] = ['RETRY_STEP', 'SKIP_STEP']

export interface Offer {
  readonly act: Act
  readonly mayNot?: string
}

/** Refusals of a person: the act itself would be taken. */
const OF_PEOPLE: ReadonlySet<string> = new Set(['AUTHZ_DENIED', 'PERSON_NOT_NAMED'])

/** Undefined: the state does not take it from anybody, or is already what it asks for. */
export function offerOf(state: RunState, act: Act, stepId: string | undefined, who: Me): Offer | undefined {
  const verdict = signalVerdict(state, act, signalOf(act, who, { stepId, reason: 'looked at' }))
  if (verdict === 'nothing') return undefined
  if (verdict !== undefined) return OF_PEOPLE.has(verdict.refuse) ? { act, mayNot: verdict.why } : undefined
  if (sufficientRole(act, who.roles) !== undefined) return { act }
  return { act, mayNot: `${who.actorId} needs the role ${SIGNALS[act].role}` }
}

export interface Said {
  readonly stepId?: string | undefined
  readonly reason?: string
  readonly undo?: boolean
  readonly params?: unknown
}

export function payloadOf({ stepId, reason = '', undo, params }: Said): Readonly<Record<string, unknown>> {
  return {
    ...(stepId === undefined ? {} : { stepId }),
    ...(reason.trim() === '' ? {} : { reason: reason.trim() }),
    ...(undo === true ? { undo } : {}),
    ...(params === undefined ? {} : { params }),
  }
}

/** As the server would bring it to the decider. */
export function signalOf(act: Act, { actorId, roles }: Me, said: Said): Extract<InputBody, { kind: 'signal' }> {
  const actorRole = sufficientRole(act, roles)
  const authorization = {
    allowed: true,
    policyDecisionId: 'foreseen',
    actorId,
    ...(actorRole === undefined ? {} : { actorRole }),
  }
  return { kind: 'signal', signalId: 'foreseen', signalType: act, payload: payloadOf(said), authorization }
}
