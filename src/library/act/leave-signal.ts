/**
 * A signal left in a run's inbox by a process without an engine: the run's driver finds it there. An ended run has no driver; then
 * the answer says so, and a process that can advance the run sends the signal again under the same id.
 */
import type { PlanShelf } from '../../app/plans/load.ts'
import type { Services } from '../../app/services.ts'
import { deliverSignal } from '../../app/steer/deliver-signal.ts'
import type { SignalSender } from '../../app/signals/judge-signal.ts'
import type { RunRow } from '../../ports/run-store.ts'

export interface LeftSignal {
  readonly signalId?: string
  readonly signalType: string
  readonly payload: Readonly<Record<string, unknown>>
  readonly actorId?: string
}

/** The program vouches for who sends it. */
export function vouchedFor(actorId = 'local'): SignalSender {
  return { actorId, actorRole: 'Admin', allowed: true }
}

export async function leaveSignal(
  { services, plans }: { readonly services: Pick<Services, 'store' | 'random' | 'clock'>; readonly plans: PlanShelf },
  row: RunRow,
  { signalId = services.random.uuid(), signalType, payload, actorId }: LeftSignal,
): Promise<{ readonly signalId: string; readonly hasEnded: boolean }> {
  let hasEnded = false
  const advance = async (): Promise<void> => {
    hasEnded = true
  }
  const parts = { services, advancer: { plans, advance }, engine: { wake: () => undefined } }
  await deliverSignal(parts, row, { signalId, signalType, payload }, vouchedFor(actorId))
  return { signalId, hasEnded }
}
