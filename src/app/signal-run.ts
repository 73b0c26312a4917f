/**
 * Sending a signal: the payload is checked, the sender is judged, and both go into the run's inbox; only `advance`
 * decides what it does (P-21). A repeat finds the first; another signal under the same id is SIGNAL_DUPLICATE.
 */
import { LIMITS } from '../core/limits.ts'
import { inlineSecretName } from '../core/plan/inline-secrets.ts'
import { fail } from '../core/problems/problem.ts'
import type { Authorization } from '../core/run/input.ts'
import { isSignalType, SIGNALS } from '../core/run/signals.ts'
import type { InboxRow, RunRef } from '../ports/run-store.ts'
import { canonicalText } from './canonical.ts'
import { validateJson } from './json-schema.ts'
import { mustBeRecordable } from './recordable.ts'
import type { Services } from './services.ts'

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

export type SignalAnswer = { readonly kind: 'sent' | 'repeat'; readonly signalId: string }

const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

export async function signalRun(
  services: Pick<Services, 'store' | 'random'>,
  run: RunRef,
  request: SignalRequest,
  sender: SignalSender,
): Promise<SignalAnswer> {
  const { signalId, signalType, payload } = request
  if (!UUID_V4.test(signalId)) fail('SIGNAL_INVALID_PAYLOAD', `signalId must be a UUID v4, not '${signalId}'`)
  mustBeRecordable(payload, 'SIGNAL_INVALID_PAYLOAD', 'the payload')
  const text = canonicalText({ signalType, payload })
  const sizeBytes = Buffer.byteLength(text)
  if (sizeBytes > LIMITS.signalBytes)
    fail('SIGNAL_INVALID_PAYLOAD', `the signal has ${sizeBytes} bytes; at most ${LIMITS.signalBytes} are allowed`)
  // The payload goes into the log: a secret in plain text must not even be recorded as refused (P-24).
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

/** A bad payload is recorded as rejected too, under a decision of our own; authorisation is not asked then. */
function authorize(services: Pick<Services, 'random'>, request: SignalRequest, sender: SignalSender): Authorization {
  const base = { policyDecisionId: services.random.uuid(), actorId: sender.actorId, actorRole: sender.actorRole }
  const invalid = payloadProblem(request)
  if (invalid !== undefined) return { ...base, allowed: false, reasonCode: 'SIGNAL_INVALID_PAYLOAD', reason: invalid }
  if (!sender.allowed)
    return { ...base, allowed: false, reasonCode: 'AUTHZ_DENIED', reason: sender.reason ?? 'not allowed' }
  // Alerts are escalated by the system alone; nobody else may, whatever role they have (SIG-08).
  if (request.signalType === 'ESCALATE_ALERT' && sender.actorRole !== 'System') {
    return { ...base, allowed: false, reasonCode: 'AUTHZ_DENIED', reason: 'only the system escalates alerts' }
  }
  return { ...base, allowed: true }
}

function payloadProblem({ signalType, payload }: SignalRequest): string | undefined {
  if (!isSignalType(signalType)) return `'${signalType}' is not a signal`
  const valid = validateJson(SIGNALS[signalType].payload.schema, payload, 'SIGNAL_INVALID_PAYLOAD')
  return valid.ok ? undefined : valid.problems.map((one) => one.message).join('; ')
}

function sameContent(row: InboxRow, text: string): boolean {
  const { signalType, payload } = JSON.parse(row.body) as SignalRequest
  return canonicalText({ signalType, payload }) === text
}
