/** Waiting as the product sees it, so that a simulated world can run it on its own clock. */
export interface Timers {
  /** Calls back after `ms`; the returned function cancels it. */
  after(ms: number, callback: () => void): () => void
  /** Calls back at the end of this turn of the event loop: everything produced until then is committed together. */
  defer(callback: () => void): void
}
