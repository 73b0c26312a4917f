/**
 * Whether an hour under load changed anything: what a process holds and how long a lone step takes at the end, beside the beginning. Medians
 * of a fifth of the minutes are compared, because one bad minute of the machine is none of ours.
 */
import { percentile } from './percentile.ts'

export interface Minute {
  readonly minute: number
  readonly runs: number
  /** Of a lone step from its start to its end, beside all the rest. */
  readonly p50: number
  readonly p99: number
  readonly p999: number
  readonly liveMb: number
  readonly residentMb: number
  readonly walMb: number
  readonly storeMb: number
}

interface Gate {
  readonly name: string
  readonly of: (minute: Minute) => number
  /** The end may be so many times the beginning. */
  readonly times: number
  /** Less than this is noise, whatever the ratio says. */
  readonly slack: number
}

const GATES: readonly Gate[] = [
  { name: 'live after a collection, MB', of: (one) => one.liveMb, times: 1.15, slack: 3 },
  { name: 'resident, MB', of: (one) => one.residentMb, times: 1.2, slack: 20 },
  { name: 'lone step, p50, ms', of: (one) => one.p50, times: 1.25, slack: 0.5 },
  { name: 'lone step, p99, ms', of: (one) => one.p99, times: 1.5, slack: 3 },
  { name: 'write-ahead log, MB', of: (one) => one.walMb, times: 1.5, slack: 64 },
]

/** Fewer minutes have no beginning and no end. */
const MINUTES_MIN = 5

export interface Verdict {
  readonly name: string
  readonly beginning: number
  readonly end: number
  readonly atMost: number
  readonly ok: boolean
}

/** None for a soak that was too short. */
export function verdictOf(minutes: readonly Minute[]): readonly Verdict[] {
  if (minutes.length < MINUTES_MIN) return []
  const fifth = Math.floor(minutes.length / 5)
  const medianOf = (some: readonly Minute[], of: Gate['of']): number => percentile(some.map(of), 0.5)
  return GATES.map(({ name, of, times, slack }) => {
    const [beginning, end] = [medianOf(minutes.slice(0, fifth), of), medianOf(minutes.slice(-fifth), of)]
    const atMost = Math.max(beginning * times, beginning + slack)
    return { name, beginning, end, atMost, ok: end <= atMost }
  })
}
