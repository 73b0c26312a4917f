/** Somebody recognised over the network as the sender of a signal: the authorizer is asked about exactly this signal (AUT-03). */
import type { Action } from '../../core/authority/actions.ts'
import { isSignalType } from '../../core/run/signals/catalogue.ts'
import { sufficientRole } from '../../core/run/signals/roles.ts'
import type { Authorizer } from '../../ports/authorizer.ts'
import type { Caller } from '../identity/caller.ts'
import type { SignalSender } from './judge-signal.ts'

export interface Asking {
  readonly caller: Caller
  readonly authorizer: Authorizer
}

export function authorizedSender(
  { caller, authorizer }: Asking,
  signalType: string,
  /** Absent: before it is known to which runs it goes. */
  runId?: string,
  action: Action = 'SIGNAL_SEND',
): SignalSender {
  const { actorId, roles, tenantId, sourceIp } = caller
  return {
    actorId,
    actorRole: roleOnRecord(signalType, roles),
    allowed: false,
    ...(sourceIp === undefined ? {} : { sourceIp }),
    ask: async ({ signalType: type, payload }) =>
      authorizer.evaluate({
        actor: { userId: actorId, roles },
        tenantId,
        action,
        ...(runId === undefined ? {} : { resource: runId }),
        signal: { type, payload },
      }),
  }
}

/** The least role that suffices (AUT-06); of somebody who has none, one that they have. */
function roleOnRecord(signalType: string, roles: readonly string[]): string {
  const enough = isSignalType(signalType) ? sufficientRole(signalType, roles) : undefined
  return enough ?? roles[0] ?? 'none'
}
