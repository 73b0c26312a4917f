/** What all streams of one server share: their seats, one reader for each run, and one that sees which runs move. */
import { MoveWatch } from '../../../app/feed/watch-moves.ts'
import type { LogRecord } from '../../../core/events/event.ts'
import { RunTails } from '../../../library/read/run-tails.ts'
import { partsOf } from '../../../library/services-of.ts'
import { TenantMoves } from '../../../library/tell/tenant-moves.ts'
import type { World } from '../serve/world.ts'
import { SealedPlaces } from './sealed-place.ts'
import { Seats } from './seats.ts'
import { messageText } from './sse.ts'

export interface Streams {
  readonly seats: Seats
  readonly tails: RunTails
  readonly tenants: TenantMoves
  readonly places: SealedPlaces
  /** Ids of a store that does not outlive its process mean nothing to the next one: they carry this before them. */
  readonly idPrefix: string
}

const LOOK_AGAIN_BEATS = 4
const STREAMS = new WeakMap<World, Streams>()

export function streamsOf(world: World): Streams {
  const known = STREAMS.get(world)
  if (known !== undefined) return known
  const { services, moves, keys } = partsOf(world.keelson)
  const { store, timers, clock } = services
  const { keepAliveMs, perPrincipal, movesMs } = world.streams
  const watch = new MoveWatch({ store, timers, pollMs: movesMs })
  const made = {
    seats: new Seats({ timers, perPrincipal, keepAliveMs, stopping: world.stopping }),
    tails: new RunTails({ moves, watch, clock, textOf: eventText, lookAgainMs: LOOK_AGAIN_BEATS * keepAliveMs }),
    tenants: new TenantMoves(watch, store),
    places: new SealedPlaces(keys),
    idPrefix: store.manifest.durable ? '' : `${world.uuid()}.`,
  }
  STREAMS.set(world, made)
  return made
}

function eventText(record: LogRecord): string {
  return messageText({ id: String(record.runSeq), event: record.eventType, data: record })
}
