/**
 * Who has a stream open. A principal has a limited number of seats; whatever belongs to a stream is freed with its seat, however
 * the stream ends. When the server stops, every stream is told, and ends by itself.
 */
import type { Caller } from '../../../app/identity/caller.ts'
import { fail } from '../../../core/problems/problem.ts'
import type { Timers } from '../../../ports/timers.ts'

export interface SeatsOptions {
  readonly timers: Timers
  readonly perPrincipal: number
  readonly keepAliveMs: number
  readonly stopping: AbortSignal
}

const RETRY_SECONDS = 5

export class Seats {
  readonly #options: SeatsOptions
  readonly #byPrincipal = new Map<string, Set<Seat>>()

  constructor(options: SeatsOptions) {
    this.#options = options
    options.stopping.addEventListener('abort', () => {
      for (const seats of this.#byPrincipal.values()) for (const seat of seats) seat.poke()
    })
  }

  /** Refused when the principal has too many already. `gone`: the reader has left. */
  take({ tenantId, actorId }: Caller, gone: AbortSignal): Seat {
    const { perPrincipal } = this.#options
    const principal = JSON.stringify([tenantId, actorId])
    const seats = this.#byPrincipal.get(principal) ?? new Set()
    if (seats.size >= perPrincipal)
      fail('RATE_EXCEEDED', `${actorId} has ${seats.size} streams open; at most ${perPrincipal} are allowed`, {
        details: { limit: perPrincipal, retryAfterSeconds: RETRY_SECONDS },
      })
    const seat = new Seat(this.#options, gone)
    this.#byPrincipal.set(principal, seats.add(seat))
    seat.onFree(() => {
      seats.delete(seat)
      if (seats.size === 0) this.#byPrincipal.delete(principal)
    })
    return seat
  }
}

export class Seat {
  readonly #options: SeatsOptions
  readonly #gone: AbortSignal
  readonly #free: (() => void)[] = []
  readonly #onGone = (): void => this.free()
  #isFree = false
  #isPoked = false
  #wake: (() => void) | undefined

  constructor(options: SeatsOptions, gone: AbortSignal) {
    this.#options = options
    this.#gone = gone
    gone.addEventListener('abort', this.#onGone, { once: true })
  }

  /** The reader has left, or the stream has ended. */
  get isFree(): boolean {
    return this.#isFree || this.#gone.aborted
  }

  get isStopping(): boolean {
    return this.#options.stopping.aborted
  }

  /** There may be something to send. */
  poke(): void {
    this.#isPoked = true
    this.#wake?.()
  }

  /** Until it is poked, or at most until it is time for a comment: then true. */
  async wait(): Promise<boolean> {
    const isBeat = await this.#sleep(this.#options.keepAliveMs, () => this.#isPoked)
    this.#isPoked = false
    return isBeat
  }

  /** That long, whatever there is to send; not longer than the stream. */
  async rest(ms: number): Promise<void> {
    await this.#sleep(ms, () => false)
  }

  async #sleep(ms: number, isOver: () => boolean): Promise<boolean> {
    const ends = (): boolean => this.isFree || this.isStopping || isOver()
    if (ends()) return false
    const { promise, resolve } = Promise.withResolvers<boolean>()
    const cancel = this.#options.timers.after(ms, () => resolve(true))
    this.#wake = () => {
      if (ends()) resolve(false)
    }
    const isTimeUp = await promise
    cancel()
    this.#wake = undefined
    return isTimeUp
  }

  /** Called once when the stream is over; at once when it is already. */
  onFree(done: () => void): void {
    if (this.isFree) done()
    else this.#free.push(done)
  }

  free(): void {
    if (this.#isFree) return
    this.#isFree = true
    this.#gone.removeEventListener('abort', this.#onGone)
    for (const done of this.#free.splice(0)) done()
    this.#wake?.()
  }
}
