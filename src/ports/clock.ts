/**
 * Time as the product sees it: the wall clock, which people and other machines share, and elapsed time, which is our
 * own.
 */
export interface Clock {
  /** Epoch milliseconds by the wall clock. It may be set at any moment: never measure a duration with it. */
  now(): number
  /** Whole milliseconds since an arbitrary instant, without jumps. Absent where `now` itself never jumps. */
  steady?(): number
}
