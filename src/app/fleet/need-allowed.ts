/** A signal to many runs is judged once before any run is looked at: its payload, its reason, its sender. */
import { fail } from '../../core/problems/problem.ts'
import { REGISTRY, type ProblemCode } from '../../core/problems/registry.ts'
import type { Random } from '../../ports/random.ts'
import { authorizedSender, type Asking } from '../signals/authorized-sender.ts'
import { judgeSignal, type SignalRequest } from '../signals/judge-signal.ts'
import { mustBeSendable } from '../signals/signal-run.ts'

export type FleetSignal = Pick<SignalRequest, 'signalType' | 'payload'>

export async function needAllowed(
  { random }: { readonly random: Pick<Random, 'uuid'> },
  asking: Asking,
  signal: FleetSignal,
): Promise<void> {
  const request = { signalId: random.uuid(), ...signal }
  const sender = authorizedSender(asking, signal.signalType)
  mustBeSendable(request, sender)
  const { authorization } = await judgeSignal({ random }, request, sender)
  const { allowed, reasonCode = 'AUTHZ_DENIED', reason = 'not allowed', policyDecisionId } = authorization
  const code = Object.hasOwn(REGISTRY, reasonCode) ? (reasonCode as ProblemCode) : 'AUTHZ_DENIED'
  if (!allowed) fail(code, reason, { details: { policyDecisionId } })
}
