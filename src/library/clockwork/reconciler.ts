/**
 * Starts what is queued as soon as there is room for it, under lease and fence, in turn for every tenant (BPQ-05, BPQ-08). Any number
 * of processes may do so on one store: each run starts once. A run that this process cannot deal with holds nobody up: it is put off,
 * and told once it has failed several times.
 */
import { ALERTS } from '../../core/alerts/catalogue.ts'
import { KeelsonError } from '../../core/problems/problem.ts'
import { BoundedCache } from '../../app/schemas/bounded-cache.ts'
import type { TurnResult } from '../../ports/engine.ts'
import type { RunKey, RunRow } from '../../ports/run-store.ts'
import { onBehalf } from '../behalf/on-behalf.ts'
import type { Keelson } from '../keelson/keelson.ts'
import { partsOf } from '../services-of.ts'
import type { ClockworkPart } from './clockwork-part.ts'
import { PutOff } from './put-off.ts'
import { Repeated } from './repeated.ts'

const EVERY_MS = 500
/** Places may be freed, and runs be queued, hundreds of times a second. */
const LEAST_MS = 20
/** In one round; the next round follows at once while there are more. */
const PAGE = 100
/** Another server may be able to do it, or the trouble may pass: sooner nobody is told. */
const TOLD_AFTER = 3
const TOLD_KEPT = 1_000

export function openReconciler(keelson: Keelson): ClockworkPart {
  const { services, moves, onWake } = partsOf(keelson)
  const reconciler = new Reconciler(keelson)
  const { clock, timers } = services
  const repeated = new Repeated({
    clock,
    timers,
    everyMs: EVERY_MS,
    leastMs: LEAST_MS,
    work: () => reconciler.round(),
  })
  const onMove = (_: RunKey, { status, freed }: TurnResult): void => {
    if (freed === true || status === 'PENDING' || status === 'APPROVED') repeated.ring()
  }
  const ends = [moves.listen(onMove), onWake?.(() => repeated.ring())]
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

class Reconciler {
  readonly #keelson: Keelson
  readonly #putOff: PutOff
  readonly #told = new BoundedCache<string, true>(TOLD_KEPT)

  constructor(keelson: Keelson) {
    this.#keelson = keelson
    const { clock, random } = partsOf(keelson).services
    this.#putOff = new PutOff(clock, random)
  }

  /** True: there may be more at once. False: nothing could be started. */
  async round(): Promise<boolean> {
    const { services, capabilities } = partsOf(this.#keelson)
    const { store, clock } = services
    await this.#freeEnded()
    const without = this.#putOff.now()
    const rows = await store.queuedRuns(capabilities.engineType, clock.now(), { limit: PAGE, without })
    let started = 0
    for (const row of rows) if (await this.#start(row)) started += 1
    return started > 0 || rows.length === PAGE
  }

  /** The process that ended them had not heard of the limit yet, or died: they count no more. */
  async #freeEnded(): Promise<void> {
    const { services, advancer } = partsOf(this.#keelson)
    for (const row of await services.store.endedHolders({ limit: PAGE, without: this.#putOff.now() })) {
      try {
        await advancer.advance(row.runKey)
        this.#putOff.done(row.runKey)
      } catch (thrown) {
        if (!(thrown instanceof KeelsonError) || thrown.code.startsWith('STORE_')) throw thrown
        this.#failed(row, 'its place could not be freed', thrown.code)
      }
    }
  }

  async #start(row: RunRow): Promise<boolean> {
    const { tenantId, projectId, environmentId, triggeredBy, runId, runKey } = row
    const principal = { tenantId, projectId, environmentId, actorId: triggeredBy ?? 'local' }
    const [answer] = await onBehalf(this.#keelson, principal).queue.start({ runIds: [runId] })
    if (answer?.status === 'FAILED') this.#failed(row, 'it could not be started', answer.error ?? 'INTERNAL')
    if (answer?.status !== 'STARTED') return false
    this.#putOff.done(runKey)
    return true
  }

  /** What is wrong is mostly wrong for all runs of the plan: it is told of the first one. */
  #failed(row: RunRow, what: string, code: string): void {
    const { runKey, runId, tenantId, planId, planVersion } = row
    const times = this.#putOff.failed(runKey)
    if (times < TOLD_AFTER) return
    const key = JSON.stringify([tenantId, planId, planVersion, code])
    if (this.#told.get(key) === true) return
    this.#told.set(key, true)
    partsOf(this.#keelson).alerts?.alert({
      alertId: `${runId}:RUN_NOT_RECONCILED:${code}`,
      code: 'RUN_NOT_RECONCILED',
      priority: ALERTS.RUN_NOT_RECONCILED.priority,
      tenantId,
      runId,
      detail: `${what} ${times} times: ${code}. Other runs of ${planId} ${planVersion} with the same trouble are not told.`,
    })
  }
}
