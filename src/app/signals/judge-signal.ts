/**
 * Judges a signal before anything is stored (AUT-03): first its payload, then its sender. Whoever is asked about the sender never
 * sees a payload that does not fit its type (SIG-02). What no answer allows is denied (AUT-13).
 */
import type { Authorization } from '../../core/run/input.ts'
import { isSignalType, lacksReason, SAY_WHY, SIGNALS } from '../../core/run/signals/catalogue.ts'
import type { AuthorizationVerdict } from '../../ports/authorizer.ts'
import type { Random } from '../../ports/random.ts'
import { validateJson } from '../schemas/json-schema.ts'

export interface SignalRequest {
  /** UUID v4 made by the client. */
  readonly signalId: string
  readonly signalType: string
  readonly payload: Readonly<Record<string, unknown>>
}

export interface SignalSender {
  readonly actorId: string
  /** The least role of the sender that suffices (AUT-06). */
  readonly actorRole: string
  readonly allowed: boolean
  readonly reason?: string
  readonly sourceIp?: string
  /** One of many that were asked for at once: counted for its run, and not again for who asked. */
  readonly isOfFleet?: true
  /** Asked instead of `allowed`, once the payload is known to be valid. */
  readonly ask?: (signal: Pick<SignalRequest, 'signalType' | 'payload'>) => Promise<AuthorizationVerdict>
}

export interface Judgement {
  readonly authorization: Authorization
  /** Allowed, but a second person has to accept it first (AUT-04). */
  readonly needsApproval: boolean
}

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

export function isUuidV4(text: string): boolean {
  return UUID_V4.test(text)
}

/** A bad payload is recorded as rejected too, under a decision of our own; authorisation is not checked then. */
export async function judgeSignal(
  { random }: { readonly random: Pick<Random, 'uuid'> },
  request: SignalRequest,
  sender: SignalSender,
): Promise<Judgement> {
  const { actorId, actorRole } = sender
  const own = { policyDecisionId: random.uuid(), actorId, actorRole }
  const invalid = payloadProblem(request)
  if (invalid !== undefined) return refused(own, 'SIGNAL_INVALID_PAYLOAD', invalid)
  const verdict = await verdictOn(request, sender)
  // An answer without a decision that can be found again is none (AUT-08).
  const isAnswer = verdict.policyDecisionId === undefined || isUuidV4(verdict.policyDecisionId)
  if (!isAnswer) return refused(own, 'AUTHZ_DENIED', 'the authorization service gave no UUID v4 as its decision')
  const base = { ...own, policyDecisionId: verdict.policyDecisionId ?? own.policyDecisionId }
  if (!verdict.allowed) return refused(base, 'AUTHZ_DENIED', verdict.reason ?? 'not allowed')
  const { signalType, payload } = request
  if (isSignalType(signalType) && lacksReason(signalType, payload))
    return refused(base, 'AUTHZ_REASON_REQUIRED', SAY_WHY)
  // Only the system escalates alerts; nobody else may, whatever their role (SIG-08).
  if (signalType === 'ESCALATE_ALERT' && actorRole !== 'System')
    return refused(base, 'AUTHZ_DENIED', 'only the system escalates alerts')
  return { authorization: { ...base, allowed: true }, needsApproval: verdict.requiresApproval === true }
}

type Verdict = Omit<AuthorizationVerdict, 'policyDecisionId'> & { readonly policyDecisionId?: string }

async function verdictOn(request: SignalRequest, { ask, allowed, reason }: SignalSender): Promise<Verdict> {
  if (ask === undefined) return { allowed, ...(reason === undefined ? {} : { reason }) }
  return ask(request)
}

function refused(base: Omit<Authorization, 'allowed'>, reasonCode: string, reason: string): Judgement {
  return { authorization: { ...base, allowed: false, reasonCode, reason }, needsApproval: false }
}

function payloadProblem({ signalType, payload }: SignalRequest): string | undefined {
  if (!isSignalType(signalType)) return `'${signalType}' is not a signal`
  // A missing or blank reason is no fault of form: it has its own refusal (AUT-07).
  const { reason = '' } = payload
  const isOpen = lacksReason(signalType, payload) && typeof reason === 'string'
  const asked = isOpen ? { ...payload, reason: 'none' } : payload
  const valid = validateJson(SIGNALS[signalType].payload.schema, asked, 'SIGNAL_INVALID_PAYLOAD')
  return valid.ok ? undefined : valid.problems.map((one) => one.message).join('; ')
}
