/** One measured line of a benchmark: a value against a baseline measured in the same process, and the floor it keeps. */
export interface BenchRow {
  readonly name: string
  readonly value: number
  readonly unit: string
  readonly baseline: number
  /** value ÷ baseline. */
  readonly ratio: number
  /** The ratio (or value) below which the row fails; above which, where smaller is better. */
  readonly floor: number
  /** Smaller is better: the row is good while its ratio is at most `floor`. */
  readonly atMost?: true
  readonly ok: boolean
}

/** A row that is good while its ratio is at most `limit`. */
export function atMostRow(name: string, unit: string, value: number, baseline: number, limit: number): BenchRow {
  const ratio = value / baseline
  return { name, value, unit, baseline, ratio, floor: limit, atMost: true, ok: ratio <= limit }
}
