/** Operations on many runs, of all tenants, carried on while this process lives. */
import { carryOn } from '../../app/fleet/carry-on.ts'
import { fleetSignalId, operationOf, type Operation } from '../../app/fleet/record.ts'
import { authorizedSender } from '../../app/signals/authorized-sender.ts'
import type { FleetRun } from '../../ports/fleet.ts'
import type { RunRow } from '../../ports/run-store.ts'
import type { Authorizer } from '../../ports/authorizer.ts'
import { sendFrom } from '../act/send-signal.ts'
import { onBehalf } from '../behalf/on-behalf.ts'
import type { Keelson } from '../keelson/keelson.ts'
import { partsOf } from '../services-of.ts'
import type { ClockworkPart, ClockworkWorld } from './clockwork-part.ts'
import { Repeated } from './repeated.ts'
import { needTenant } from './run-starter.ts'

const EVERY_MS = 1_000
const LEAST_MS = 5
const PAGE = 10

/** Of each open Keelson, so that what is asked of this process begins at once. */
const OPEN = new WeakMap<object, Repeated>()

export function openFleet(keelson: Keelson, { authorizer }: ClockworkWorld): ClockworkPart {
  const { store, clock, timers } = partsOf(keelson).services
  let isOpen = true
  const world = {
    store,
    now: () => clock.now(),
    isOpen: () => isOpen,
    send: (operation: Operation, row: RunRow) => sendOne(keelson, authorizer, operation, row),
  }
  const repeated = new Repeated({
    clock,
    timers,
    everyMs: EVERY_MS,
    leastMs: LEAST_MS,
    work: async () => {
      for (const stored of await store.dueOperations(clock.now(), PAGE))
        if (isOpen) await carryOn(world, operationOf(stored))
      return undefined
    },
  })
  OPEN.set(store, repeated)
  return {
    name: 'fleet',
    working: () => repeated.trouble === undefined,
    why: () => repeated.trouble,
    close: async () => {
      isOpen = false
      OPEN.delete(store)
      await repeated.close()
    },
  }
}

/** As a person's own signal goes, in the name of who asked for the operation. */
async function sendOne(
  keelson: Keelson,
  authorizer: Authorizer,
  operation: Operation,
  row: RunRow,
): Promise<Exclude<FleetRun['outcome'], 'OPEN' | 'REFUSED'>> {
  const { signalType, payload, by } = operation.record
  await needTenant(keelson, row.tenantId)
  const request = { signalId: fleetSignalId(operation, row.runId), signalType, payload }
  const sender = { ...authorizedSender({ caller: by, authorizer }, signalType, row.runId), isOfFleet: true } as const
  const { kind } = await sendFrom(partsOf(onBehalf(keelson, by)), row, request, sender)
  if (kind === 'approval') return 'APPROVAL'
  return kind === 'pending' ? 'LEFT' : 'DONE'
}

/** An operation was begun by this process. */
export function wakeFleet(keelson: Keelson): void {
  OPEN.get(partsOf(keelson).services.store)?.ring()
}
