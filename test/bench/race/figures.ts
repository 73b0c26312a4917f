/** The figures of the race: which there are, how the rounds of a contender become one, and how they compare. */
import type { ContenderName, Lap } from './lap.ts'

export interface Figure {
  readonly key: string
  readonly name: string
  readonly unit: string
  /** More is better, or less is. */
  readonly better: 'more' | 'less'
  readonly of: (lap: Lap) => number
}

export const FIGURES = [
  {
    key: 'a',
    name: '(a) one-step runs, 100 at a time',
    unit: 'runs/s',
    better: 'more',
    of: (lap) => lap.runsPerSecond,
  },
  { key: 'b', name: '(b) chain of 1,000 steps', unit: 'steps/s', better: 'more', of: (lap) => lap.chainStepsPerSecond },
  { key: 'c', name: '(c) fan-out of 1,000 steps', unit: 'steps/s', better: 'more', of: (lap) => lap.fanStepsPerSecond },
  { key: 'd-p50', name: '(d) one step, start to end, p50', unit: 'ms', better: 'less', of: (lap) => lap.oneStepMs.p50 },
  { key: 'd-p99', name: '(d) one step, start to end, p99', unit: 'ms', better: 'less', of: (lap) => lap.oneStepMs.p99 },
  {
    key: 'd-p999',
    name: '(d) one step, start to end, p99.9',
    unit: 'ms',
    better: 'less',
    of: (lap) => lap.oneStepMs.p999,
  },
  { key: 'beside-p99', name: '(d) beside a chain, p99', unit: 'ms', better: 'less', of: (lap) => lap.besideMs.p99 },
  { key: 'beside-p999', name: '(d) beside a chain, p99.9', unit: 'ms', better: 'less', of: (lap) => lap.besideMs.p999 },
  { key: 'ten-p50', name: 'ten steps, start to end, p50', unit: 'ms', better: 'less', of: (lap) => lap.tenStepsMs.p50 },
  { key: 'overhead-p50', name: 'overhead per step, p50', unit: 'ms', better: 'less', of: (lap) => lap.overheadMs.p50 },
  { key: 'overhead-p95', name: 'overhead per step, p95', unit: 'ms', better: 'less', of: (lap) => lap.overheadMs.p95 },
  { key: 'overhead-p99', name: 'overhead per step, p99', unit: 'ms', better: 'less', of: (lap) => lap.overheadMs.p99 },
  { key: 'cpu', name: 'processor time of a run of (a)', unit: 'ms', better: 'less', of: (lap) => lap.cpuMsPerRun },
  { key: 'rss', name: 'resident after (a)', unit: 'MB', better: 'less', of: (lap) => lap.rssMb },
  { key: 'peak-rss', name: 'resident, peak of all', unit: 'MB', better: 'less', of: (lap) => lap.peakRssMb },
] as const satisfies readonly Figure[]

export type FigureKey = (typeof FIGURES)[number]['key']

export interface RaceRow {
  readonly figure: FigureKey
  readonly name: string
  readonly unit: string
  readonly better: 'more' | 'less'
  readonly contender: ContenderName
  /** Median of the rounds. */
  readonly value: number
  readonly rounds: readonly number[]
  /** Of Keelson only: the best peer on the same kind of store, and how many times better than it Keelson is. */
  readonly bestPeer?: ContenderName
  readonly timesBetter?: number
  /** Of Keelson only: how many times better than the bare loop on the same kind of store; below 1 it is behind that floor. */
  readonly timesBare?: number
}

export type Laps = ReadonlyMap<ContenderName, readonly Lap[]>

/** Neither Keelson nor the floor under everybody. */
export function isPeer(name: ContenderName): boolean {
  return !isOwn(name) && !name.startsWith('bare')
}

export const isOwn = (name: ContenderName): boolean => name.startsWith('keelson')

const storeOf = (name: ContenderName): string => name.split('-').at(-1) ?? ''

export function rowsOf(laps: Laps): readonly RaceRow[] {
  const rows = FIGURES.flatMap((figure) =>
    [...laps].map(([contender, own]): RaceRow => {
      const { key, name, unit, better } = figure
      const rounds = own.map(figure.of)
      return { figure: key, name, unit, better, contender, value: median(rounds), rounds }
    }),
  )
  return rows.map((row) => (isOwn(row.contender) ? { ...row, ...against(row, rows) } : row))
}

function against(row: RaceRow, rows: readonly RaceRow[]): Pick<RaceRow, 'bestPeer' | 'timesBetter' | 'timesBare'> {
  const bare = rows.find(
    ({ figure, contender }) => figure === row.figure && contender === `bare-${storeOf(row.contender)}`,
  )
  const floor = bare === undefined ? {} : { timesBare: timesBetter(row, bare) }
  const peers = rows.filter(
    ({ figure, contender }) =>
      figure === row.figure && isPeer(contender) && storeOf(contender) === storeOf(row.contender),
  )
  const [best] = peers.sort((one, other) => timesBetter(other, one))
  return best === undefined ? floor : { ...floor, bestPeer: best.contender, timesBetter: timesBetter(row, best) }
}

/** Above 1 the first is ahead. */
export function timesBetter(one: RaceRow, other: RaceRow): number {
  return one.better === 'more' ? one.value / other.value : other.value / one.value
}

export function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
