/** One measured line of a benchmark: a value against a baseline measured in the same process, and the floor it keeps. */
export interface BenchRow {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly baseline: number
  /** value ÷ baseline. */
  readonly ratio: number
  /** The ratio (or value) below which the row fails. */
  readonly floor: number
  readonly ok: boolean
}
