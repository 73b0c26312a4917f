/**
 * Starts what is queued as soon as there is room for it, under lease and fence, in turn for every tenant (BPQ-05, BPQ-08). Any number
 * of processes may do so on one store: each run starts once.
 */
import type { RunAdvancer } from '../../app/advance/advance-run.ts'
import type { RunRow, RunStore } from '../../ports/run-store.ts'
import { onBehalf } from '../behalf/on-behalf.ts'
import type { Keelson } from '../keelson/keelson.ts'
import { partsOf } from '../services-of.ts'
import type { ClockworkPart } from './clockwork-part.ts'
import { Repeated } from './repeated.ts'

const EVERY_MS = 500
const LEAST_MS = 5
/** In one round; the next round follows at once while there are more. */
const PAGE = 100

export function openReconciler(keelson: Keelson): ClockworkPart {
  const { services, advancer, moves, capabilities, onWake } = partsOf(keelson)
  const { store, clock, timers } = services
  const repeated: Repeated = new Repeated({
    timers,
    everyMs: EVERY_MS,
    leastMs: LEAST_MS,
    work: async () => {
      await freeEnded(store, advancer)
      const rows = await store.queuedRuns(capabilities.engineType, clock.now(), PAGE)
      let started = 0
      for (const row of rows) if (await start(keelson, row)) started += 1
      if (started > 0) repeated.ring()
    },
  })
  const ends = [moves.listen(() => repeated.ring()), onWake?.(() => repeated.ring())]
  return {
    name: 'reconciler',
    working: () => repeated.trouble === undefined,
    why: () => repeated.trouble,
    close: async () => {
      for (const end of ends) end?.()
      await repeated.close()
    },
  }
}

/** The process that ended them had not heard of the limit yet, or died: they count no more. */
async function freeEnded(store: RunStore, advancer: RunAdvancer): Promise<void> {
  for (const { runKey } of await store.endedHolders(PAGE)) await advancer.advance(runKey)
}

async function start(
  keelson: Keelson,
  { tenantId, projectId, environmentId, triggeredBy, runId }: RunRow,
): Promise<boolean> {
  const principal = { tenantId, projectId, environmentId, actorId: triggeredBy ?? 'local' }
  const answers = await onBehalf(keelson, principal).queue.start({ runIds: [runId] })
  return answers.some(({ status }) => status === 'STARTED')
}
