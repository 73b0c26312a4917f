/**
 * Which runs of the tenant moved: at most one message in a while, each run once in it with how it stands now. The id of a message
 * is a place in the feed, sealed; who comes back with it is told what moved since, or that nobody can say (`resync`: read the list anew).
 */
import { LIMITS } from '../../../core/limits.ts'
import { isoFromMs } from '../../../core/time.ts'
import { executionWord } from '../../../core/view/fold/vocabulary.ts'
import type { TenantMoves } from '../../../library/tell/tenant-moves.ts'
import type { MovedRun } from '../../../ports/feed.ts'
import type { Seat } from './seats.ts'
import type { SealedPlaces } from './sealed-place.ts'
import { messageText, OPENING, RECONNECT } from './sse.ts'

export interface TenantStream {
  readonly tenants: TenantMoves
  readonly tenantId: string
  readonly seat: Seat
  readonly places: SealedPlaces
  readonly idPrefix: string
  readonly movesMs: number
  readonly failed: (thrown: unknown) => string
}

/** Runs to tell, of each the newest state; of too many only that there are too many. */
class Pending {
  readonly #runs = new Map<string, MovedRun>()
  #isLost = false

  add(runs: readonly MovedRun[]): void {
    for (const one of runs) {
      const before = this.#runs.get(one.run.runId)
      if (before === undefined || before.lastEventSeq <= one.lastEventSeq) this.#runs.set(one.run.runId, one)
    }
    if (this.#runs.size > LIMITS.streamMovedRuns) this.lose()
  }

  lose(): void {
    this.#isLost = true
    this.#runs.clear()
  }

  get isEmpty(): boolean {
    return !this.#isLost && this.#runs.size === 0
  }

  take(): { readonly event: 'moved' | 'resync'; readonly data: object } {
    const taken = this.#isLost
      ? { event: 'resync' as const, data: {} }
      : { event: 'moved' as const, data: { executions: [...this.#runs.values()].map(shown) } }
    this.#isLost = false
    this.#runs.clear()
    return taken
  }
}

function shown({ run, status, lastEventSeq, updatedAt }: MovedRun): object {
  const state = executionWord({ status })
  return { executionId: run.runId, status, state, lastEventSeq, updatedAt: isoFromMs(updatedAt) }
}

/** Reads what it needs to begin; fails before anything is sent. */
export async function openTenantStream(
  stream: TenantStream,
  lastId: string | undefined,
): Promise<AsyncGenerator<string, void>> {
  const { tenants, tenantId, seat } = stream
  const pending = new Pending()
  const changed = (): void => seat.poke()
  const forget = tenants.listen(tenantId, {
    moved: (runs) => (pending.add(runs), changed()),
    lost: () => (pending.lose(), changed()),
  })
  seat.onFree(forget)
  // Before what moved since then is read: nothing lies between the two.
  const position = await tenants.place()
  if (lastId !== undefined) {
    const from = await positionOf(stream, lastId)
    const since = from === undefined ? undefined : await tenants.since(tenantId, from)
    if (since === undefined) pending.lose()
    else pending.add(since)
  }
  return messages(stream, pending, position)
}

async function positionOf({ places, tenantId, idPrefix }: TenantStream, id: string): Promise<string | undefined> {
  const place = await places.open(tenantId, id)
  return place?.startsWith(idPrefix) === true ? place.slice(idPrefix.length) : undefined
}

async function* messages(stream: TenantStream, pending: Pending, position: string): AsyncGenerator<string, void> {
  const { tenants, tenantId, seat, places, idPrefix, movesMs, failed } = stream
  const idOf = (at: string): Promise<string> => places.seal(tenantId, `${idPrefix}${at}`)
  const idNow = async (): Promise<string> => idOf(await tenants.place())
  try {
    yield OPENING
    const id = await idOf(position)
    // A resumed reader keeps its own place until it was told what it missed.
    yield messageText({ event: 'hello', ...(pending.isEmpty ? { id } : {}), data: { watermark: id } })
    while (!seat.isFree && !seat.isStopping) {
      if (!pending.isEmpty) {
        const now = await idNow()
        yield messageText({ ...pending.take(), id: now })
        await seat.rest(movesMs)
      } else if (await seat.wait()) {
        // The place goes on although nothing of this tenant moved: a later return has less to read.
        const now = await idNow()
        if (pending.isEmpty) yield `:\nid: ${now}\n\n`
      }
    }
    if (!seat.isFree) yield RECONNECT
  } catch (thrown) {
    yield failed(thrown)
  } finally {
    seat.free()
  }
}
