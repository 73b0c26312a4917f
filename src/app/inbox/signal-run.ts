/**
 * Sends a signal: the payload is checked, the sender is authorised, and both go into the run's inbox; only `advance`
 * decides the effect (P-21). A repeat finds the first; another signal under the same id is SIGNAL_DUPLICATE.
 */
import { LIMITS } from '../../core/limits.ts'
import { inlineSecretName } from '../../core/plan/format/inline-secrets.ts'
import { fail } from '../../core/problems/problem.ts'
import type { Authorization } from '../../core/run/input.ts'
import { isBlank } from '../../core/run/people/person.ts'
import { isSignalType, lacksReason, SAY_WHY, SIGNALS } from '../../core/run/signals/catalogue.ts'
import type { InboxRow, RunRef } from '../../ports/run-store.ts'
import { canonicalText } from '../log/canonical.ts'
import { mustFitNames, mustFitReasons } from '../log/fitting.ts'
import { validateJson } from '../schemas/json-schema.ts'
import { mustBeRecordable } from '../log/recordable.ts'
import type { Services } from '../services.ts'

export interface SignalRequest {
  /** UUID v4 made by the client. */
  readonly signalId: string
  readonly signalType: string
  readonly payload: Readonly<Record<string, unknown>>
}

export interface SignalSender {
  readonly actorId: string
  readonly actorRole: string
  readonly allowed: boolean
  readonly reason?: string
}

/** `pending`: no driver has decided on it yet; it stays in the run's inbox until one does. */
export type SignalAnswer = { readonly kind: 'sent' | 'repeat' | 'pending'; readonly signalId: string }

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

export async function signalRun(
  services: Pick<Services, 'store' | 'random'>,
  run: RunRef,
  request: SignalRequest,
  sender: SignalSender,
): Promise<SignalAnswer> {
  const { signalId, signalType, payload } = request
  mustFitNames({ signalId, signalType, actorId: sender.actorId, actorRole: sender.actorRole })
  mustFitReasons({ reason: sender.reason })
  if (!UUID_V4.test(signalId)) fail('SIGNAL_INVALID_PAYLOAD', `signalId must be a UUID v4, not '${signalId}'`)
  if (signalType === '') fail('SIGNAL_INVALID_PAYLOAD', 'signalType must not be empty')
  if (isBlank(sender.actorId))
    fail('SIGNAL_INVALID_PAYLOAD', 'a signal needs the name of its sender, and blanks are not a name')
  mustBeRecordable(payload, 'SIGNAL_INVALID_PAYLOAD', 'the payload')
  const text = canonicalText({ signalType, payload })
  const sizeBytes = Buffer.byteLength(text)
  if (sizeBytes > LIMITS.signalBytes)
    fail('SIGNAL_INVALID_PAYLOAD', `the signal has ${sizeBytes} bytes; at most ${LIMITS.signalBytes} are allowed`)
  // The payload goes into the log: a secret in plain text must not be recorded even as refused (P-24).
  const secret = inlineSecretName(payload)
  if (secret !== undefined)
    fail('SIGNAL_INVALID_PAYLOAD', `'${secret}' must not be sent in plain text; refer to it: secret://path`)
  const body = JSON.stringify({ signalId, signalType, payload, authorization: authorize(services, request, sender) })
  const answer = await services.store.insertInbox(run, { inboxId: `signal:${signalId}`, kind: 'signal', body })
  if (answer.kind === 'no-run') return fail('RUN_NOT_FOUND', `no run ${run.runId}`)
  if (answer.kind === 'inserted') return { kind: 'sent', signalId }
  if (!sameContent(answer.row, text))
    fail('SIGNAL_DUPLICATE', `another signal was already sent under the id ${signalId}`)
  return { kind: 'repeat', signalId }
}

/** A bad payload is recorded as rejected too, under a decision of our own; authorisation is not checked then. */
function authorize(services: Pick<Services, 'random'>, request: SignalRequest, sender: SignalSender): Authorization {
  const base = { policyDecisionId: services.random.uuid(), actorId: sender.actorId, actorRole: sender.actorRole }
  const invalid = payloadProblem(request)
  if (invalid !== undefined) return { ...base, allowed: false, reasonCode: 'SIGNAL_INVALID_PAYLOAD', reason: invalid }
  if (!sender.allowed)
    return { ...base, allowed: false, reasonCode: 'AUTHZ_DENIED', reason: sender.reason ?? 'not allowed' }
  if (isSignalType(request.signalType) && lacksReason(request.signalType, request.payload))
    return { ...base, allowed: false, reasonCode: 'AUTHZ_REASON_REQUIRED', reason: SAY_WHY }
  // Only the system escalates alerts; nobody else may, whatever their role (SIG-08).
  if (request.signalType === 'ESCALATE_ALERT' && sender.actorRole !== 'System') {
    return { ...base, allowed: false, reasonCode: 'AUTHZ_DENIED', reason: 'only the system escalates alerts' }
  }
  return { ...base, allowed: true }
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

function sameContent(row: InboxRow, text: string): boolean {
  const { signalType, payload } = JSON.parse(row.body) as SignalRequest
  return canonicalText({ signalType, payload }) === text
}
