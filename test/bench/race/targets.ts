/** What Keelson aims at, and whether this race shows it. A missed target is printed like a met one: nothing is left out. */
import { timesBetter, type FigureKey, type RaceRow } from './figures.ts'
import type { ContenderName } from './lap.ts'

export interface Target {
  readonly contender: ContenderName
  readonly figure: FigureKey
  /** An absolute figure; it belongs to a quiet machine of two cores with a disk that syncs in 0.2 ms. */
  readonly wanted?: number
  /** So many times better than a peer in the same race. */
  readonly times?: number
  readonly peer?: ContenderName
}

export interface Judged extends Target {
  readonly got: number
  readonly met: boolean
}

const SQLITE = 'keelson-sqlite'
const POSTGRES = 'keelson-postgres'

const TARGETS: readonly Target[] = [
  { contender: SQLITE, figure: 'a', wanted: 10_000 },
  { contender: SQLITE, figure: 'a', times: 20, peer: 'openworkflow-sqlite' },
  { contender: SQLITE, figure: 'a', times: 20, peer: 'dbos-postgres' },
  { contender: SQLITE, figure: 'b', wanted: 3_500 },
  { contender: SQLITE, figure: 'b', times: 4, peer: 'openworkflow-sqlite' },
  { contender: SQLITE, figure: 'c', wanted: 25_000 },
  { contender: SQLITE, figure: 'c', times: 20, peer: 'openworkflow-sqlite' },
  { contender: SQLITE, figure: 'd-p50', wanted: 1.2 },
  { contender: SQLITE, figure: 'd-p99', wanted: 5 },
  { contender: SQLITE, figure: 'rss', wanted: 150 },
  { contender: SQLITE, figure: 'overhead-p50', wanted: 1 },
  { contender: SQLITE, figure: 'overhead-p95', wanted: 3 },
  { contender: SQLITE, figure: 'overhead-p99', wanted: 5 },
  { contender: POSTGRES, figure: 'a', wanted: 6_000 },
  { contender: POSTGRES, figure: 'a', times: 10, peer: 'dbos-postgres' },
  { contender: POSTGRES, figure: 'b', wanted: 1_500 },
  { contender: POSTGRES, figure: 'b', times: 3.5, peer: 'dbos-postgres' },
  { contender: POSTGRES, figure: 'c', wanted: 15_000 },
  { contender: POSTGRES, figure: 'c', times: 20, peer: 'dbos-postgres' },
  { contender: POSTGRES, figure: 'd-p50', wanted: 2.5 },
  { contender: POSTGRES, figure: 'd-p99', wanted: 8 },
  { contender: POSTGRES, figure: 'rss', wanted: 150 },
  { contender: POSTGRES, figure: 'overhead-p50', wanted: 3 },
  { contender: POSTGRES, figure: 'overhead-p95', wanted: 6 },
  { contender: POSTGRES, figure: 'overhead-p99', wanted: 10 },
  // What the product's own requirements allow (50, 100, 150 ms): far above the targets, and a limit all the same.
  ...([SQLITE, POSTGRES] as const).flatMap((contender): readonly Target[] => [
    { contender, figure: 'overhead-p50', wanted: 50 },
    { contender, figure: 'overhead-p95', wanted: 100 },
    { contender, figure: 'overhead-p99', wanted: 150 },
  ]),
]

/** Targets whose contender or peer did not take part are left out. */
export function judge(rows: readonly RaceRow[]): readonly Judged[] {
  return TARGETS.flatMap((target) => {
    const own = rowOf(rows, target.contender, target.figure)
    if (own === undefined) return []
    if (target.wanted !== undefined) {
      const met = own.better === 'more' ? own.value >= target.wanted : own.value <= target.wanted
      return [{ ...target, got: own.value, met }]
    }
    const peer = target.peer === undefined ? undefined : rowOf(rows, target.peer, target.figure)
    if (peer === undefined || target.times === undefined) return []
    const got = timesBetter(own, peer)
    return [{ ...target, got, met: got >= target.times }]
  })
}

function rowOf(rows: readonly RaceRow[], contender: ContenderName, figure: FigureKey): RaceRow | undefined {
  return rows.find((row) => row.contender === contender && row.figure === figure)
}
