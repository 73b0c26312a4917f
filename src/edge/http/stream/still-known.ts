/**
 * A stream stays open for hours, and who reads it may no longer be known by then: the key was revoked, the token is over, the tenant was
 * deleted. So who asks is found again once in a while, as for a new request, and a stream of nobody ends. Whoever waits for work is found
 * again before any is handed out.
 */
import { KeelsonError } from '../../../core/problems/problem.ts'
import { partsOf } from '../../../library/services-of.ts'
import type { Asked } from '../serve/bound-route.ts'
import type { Seat } from './seats.ts'

type Reader = Pick<Asked, 'world' | 'caller' | 'header'>

export function endWithCaller(reader: Reader, seat: Seat): void {
  const { world } = reader
  const { timers } = partsOf(world.keelson).services
  const look = async (): Promise<void> => {
    const isKnown = await isStillKnown(reader)
    if (isKnown) wait()
    else seat.free()
  }
  let cancel = (): void => undefined
  const wait = (): void => {
    if (!seat.isFree) cancel = timers.after(world.streams.whoMs, () => void look())
  }
  seat.onFree(() => cancel())
  wait()
}

/** Only who is surely unknown: a store or an issuer that is away at this moment says nothing about them. */
export async function isStillKnown({ world, caller, header }: Reader): Promise<boolean> {
  const { tenantId, actorId, sourceIp = '' } = caller
  try {
    const now = await world.who({ header, sourceIp })
    return now?.tenantId === tenantId && now.actorId === actorId
  } catch (thrown) {
    return !(thrown instanceof KeelsonError && thrown.code === 'NOT_AUTHENTICATED')
  }
}
