/** Time as the product sees it: epoch milliseconds. */
export interface Clock {
  now(): number
}
