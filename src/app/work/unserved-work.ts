/**
 * Work that nobody asks for: a step that was sent to a queue waits, and the run says nothing of it by itself. People are told once for
 * each queue and function, and again when it has been served and is left alone once more.
 */
import { ALERTS, type Alert } from '../../core/alerts/catalogue.ts'
import { steadyNow } from '../../core/clock-jumps.ts'
import { isoFromMs } from '../../core/time.ts'
import type { Clock } from '../../ports/clock.ts'
import type { RunStore } from '../../ports/run-store.ts'
import type { StoredWork } from '../../ports/work.ts'
import { BoundedCache } from '../schemas/bounded-cache.ts'
import { listWorkers, type KnownWorker } from './list-workers.ts'

/** A worker may just be starting. */
const WAITED_MS = 30_000
/** Who has not asked for so long, and has none of it, does not serve it: workers ask every 30 seconds. */
const SILENT_MS = 5 * 60_000
const LOOK_MS = 10_000
const TOLD_KEPT = 1_000

export class UnservedWork {
  readonly #store: Pick<RunStore, 'listWorkers' | 'getRun'>
  readonly #clock: Clock
  readonly #tell: (alert: Alert) => void
  /** When each had been asked for last, as it was told: asked for since then, it is news when it is left alone again. */
  readonly #told = new BoundedCache<string, { readonly askedAt: number | undefined }>(TOLD_KEPT)
  #lookAgainAt = -Infinity

  constructor(store: Pick<RunStore, 'listWorkers' | 'getRun'>, clock: Clock, tell: (alert: Alert) => void) {
    this.#store = store
    this.#clock = clock
    this.#tell = tell
  }

  /** `all`: what this process waits for. */
  async look(all: readonly StoredWork[]): Promise<void> {
    const steady = steadyNow(this.#clock)
    if (steady < this.#lookAgainAt) return
    const now = this.#clock.now()
    const isAtWork = ({ state, claim }: StoredWork): boolean => state === 'claimed' && (claim?.until ?? 0) > now
    const served = new Set(all.filter(isAtWork).map(keyOf))
    const first = new Map<string, StoredWork>()
    for (const row of all) {
      const isLeft = row.state === 'offered' && row.offeredAt + WAITED_MS <= now
      if (isLeft && !served.has(keyOf(row)) && !first.has(keyOf(row))) first.set(keyOf(row), row)
    }
    if (first.size === 0) return
    this.#lookAgainAt = steady + LOOK_MS
    const workers = new Map<string, readonly KnownWorker[]>()
    for (const [key, row] of first) {
      const { tenantId } = row
      const known = workers.get(tenantId) ?? (await listWorkers(this.#store, tenantId))
      workers.set(tenantId, known)
      const askedAt = lastAsked(known, row)
      const isServed = askedAt !== undefined && askedAt + SILENT_MS > now
      const told = this.#told.get(key)
      if (isServed || (told !== undefined && told.askedAt === askedAt)) continue
      this.#told.set(key, { askedAt })
      await this.#tellOf(row, askedAt)
    }
  }

  async #tellOf({ runKey, tenantId, queue, handler, slot }: StoredWork, askedAt: number | undefined): Promise<void> {
    const runId = (await this.#store.getRun(runKey))?.runId
    if (runId === undefined) return
    const last = askedAt === undefined ? 'no worker ever did' : `the last worker did at ${isoFromMs(askedAt)}`
    this.#tell({
      alertId: `${runId}:WORK_UNSERVED:${queue}:${handler}`,
      code: 'WORK_UNSERVED',
      priority: ALERTS.WORK_UNSERVED.priority,
      tenantId,
      runId,
      detail: `${slot} waits for a worker of the queue '${queue}' that can do '${handler}', and none asks for it: ${last}. Other steps that wait for the same are not told.`,
    })
  }
}

function lastAsked(workers: readonly KnownWorker[], { queue, handler }: StoredWork): number | undefined {
  return workers.find(({ queues, handlers }) => queues.includes(queue) && handlers.includes(handler))?.askedAt
}

function keyOf({ tenantId, queue, handler }: StoredWork): string {
  return JSON.stringify([tenantId, queue, handler])
}
