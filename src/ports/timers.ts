/** Waiting as the product sees it, so that a simulated world can run it on its own clock. */
export interface Timers {
  /** Calls back after `ms`; the returned function takes it back. */
  after(ms: number, callback: () => void): () => void
  /** Calls back once this turn of the loop is over: what was produced until then is committed together. */
  defer(callback: () => void): void
}
