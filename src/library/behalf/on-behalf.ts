/**
 * The same open Keelson for another principal: it starts, finds and reads only what is that tenant's, and what it writes carries
 * that actor. Stores, engine and caches are shared; only whoever opened them closes them.
 */
import type { Principal } from '../../app/principal.ts'
import { Keelson } from '../keelson/keelson.ts'
import type { Parts } from '../parts.ts'
import { partsOf } from '../services-of.ts'

export function onBehalf(
  keelson: Keelson,
  principal: Principal,
  triggerSource: Parts['triggerSource'] = 'api',
): Keelson {
  const { tenantId, projectId, environmentId, actorId, setUpBy } = principal
  const own = { tenantId, projectId, environmentId, actorId, ...(setUpBy === undefined ? {} : { setUpBy }) }
  return new Keelson({ ...partsOf(keelson), principal: own, triggerSource })
}
