/**
 * The receiving end of the feed (I11): it notes every delivery, refuses some, and says at the end whether each committed
 * record came at least once, first deliveries in order per run, and nothing that was not committed.
 */
import type { FeedItem } from '../../src/ports/feed.ts'
import type { RunKey } from '../../src/ports/run-store.ts'
import { Rng } from './random.ts'
import type { RunTrack } from './run-track.ts'

export const SUBSCRIBER = 'follower'

export class FeedWitness {
  readonly #rng: Rng
  readonly #refusals: number
  /** Numbers in the order of their first delivery. */
  readonly #first = new Map<RunKey, Map<number, Uint8Array>>()
  deliveries = 0
  repeats = 0

  constructor(seed: number) {
    this.#rng = new Rng(`feed ${seed}`)
    this.#refusals = this.#rng.pick([0, 0.05, 0.2])
  }

  deliver({ runKey, event }: FeedItem): Promise<void> {
    // Half of those that fail were taken in all the same.
    const refused = this.#rng.chance(this.#refusals)
    if (!refused || this.#rng.chance(0.5)) this.#note(runKey, event.runSeq, event.chainHash)
    return refused ? Promise.reject(new Error('simulated: not taken')) : Promise.resolve()
  }

  #note(runKey: RunKey, runSeq: number, chainHash: Uint8Array): void {
    const first = this.#first.get(runKey) ?? new Map<number, Uint8Array>()
    this.#first.set(runKey, first)
    this.deliveries += 1
    if (first.has(runSeq)) this.repeats += 1
    else first.set(runSeq, chainHash)
  }

  check(tracks: ReadonlyMap<RunKey, RunTrack>, complain: (what: string) => void): void {
    for (const runKey of this.#first.keys())
      if (!tracks.has(runKey)) complain(`I11 events of run ${runKey} were delivered, and nobody created it`)
    for (const [runKey, { sealed }] of tracks) {
      const first = this.#first.get(runKey) ?? new Map<number, Uint8Array>()
      const told = [...first.keys()]
      sealed.forEach(({ runSeq, chainHash }, index) => {
        if (told[index] !== runSeq)
          complain(`I11 delivery ${index + 1} of run ${runKey} was #${told[index] ?? 'none'} instead of #${runSeq}`)
        else if (Buffer.compare(first.get(runSeq) ?? chainHash, chainHash) !== 0)
          complain(`I11 #${runSeq} of run ${runKey} was delivered otherwise than committed`)
      })
      if (told.length > sealed.length) complain(`I11 run ${runKey} has ${sealed.length} events, ${told.length} came`)
    }
  }
}
