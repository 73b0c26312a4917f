/** What Keelson aims at, and whether this race shows it. A missed target is printed like a met one: nothing is left out. */
import { timesBetter, type FigureKey, type RaceRow } from './figures.ts'
import type { ContenderName } from './lap.ts'

export interface Target {
  readonly contender: ContenderName
  readonly figure: FigureKey
  /** An absolute figure; it belongs to a quiet machine of two cores with a disk that syncs in 0.12 ms. */
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
/** With the memory settings of `serve` and `worker`. */
const SQLITE_SMALL = 'keelson-small-sqlite'
const POSTGRES_SMALL = 'keelson-small-postgres'

const TARGETS: readonly Target[] = [
  { contender: SQLITE, figure: 'a', wanted: 9_500 },
  { contender: SQLITE, figure: 'a', times: 12, peer: 'openworkflow-sqlite' },
  { contender: SQLITE, figure: 'a', times: 12, peer: 'dbos-postgres' },
  { contender: SQLITE, figure: 'b', wanted: 4_300 },
  { contender: SQLITE, figure: 'b', times: 2, peer: 'openworkflow-sqlite' },
  { contender: SQLITE, figure: 'b', times: 0.5, peer: 'bare-sqlite' },
  { contender: SQLITE, figure: 'c', wanted: 27_000 },
  { contender: SQLITE, figure: 'c', times: 11, peer: 'openworkflow-sqlite' },
  { contender: SQLITE, figure: 'd-p50', wanted: 0.75 },
  { contender: SQLITE, figure: 'd-p99', wanted: 2 },
  { contender: SQLITE_SMALL, figure: 'a', wanted: 7_500 },
  { contender: SQLITE_SMALL, figure: 'rss', wanted: 200 },
  { contender: SQLITE, figure: 'overhead-p50', wanted: 1 },
  { contender: SQLITE, figure: 'overhead-p95', wanted: 3 },
  { contender: SQLITE, figure: 'overhead-p99', wanted: 5 },
  { contender: POSTGRES, figure: 'a', wanted: 6_000 },
  { contender: POSTGRES, figure: 'a', times: 8, peer: 'dbos-postgres' },
  { contender: POSTGRES, figure: 'b', wanted: 2_200 },
  { contender: POSTGRES, figure: 'b', times: 2.5, peer: 'dbos-postgres' },
  { contender: POSTGRES, figure: 'c', wanted: 18_000 },
  { contender: POSTGRES, figure: 'c', times: 13, peer: 'dbos-postgres' },
  { contender: POSTGRES, figure: 'd-p50', wanted: 1.4 },
  { contender: POSTGRES, figure: 'd-p99', wanted: 4.5 },
  { contender: POSTGRES_SMALL, figure: 'a', wanted: 5_000 },
  { contender: POSTGRES_SMALL, figure: 'rss', wanted: 170 },
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
