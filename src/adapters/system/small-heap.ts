/**
 * Settings of the runtime's memory, for the whole process. V8 lets its young generation grow to 128 MB while many runs
 * are active, although 20 MB of it live, and collects old objects late. How far the young generation may grow is read when
 * a process starts; whether it grows any further is read at each collection, so that this is decided after each of them.
 */
import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { LIMITS } from '../../core/limits.ts'

/** By what the young generation grows at once; 1: it stays as it is. */
type GrowthFactor = 1 | 2
let growth: GrowthFactor = 2
let observer: PerformanceObserver | undefined

/**
 * Whoever starts Node with settings of its own for these keeps them. With `growsWhenBusy` the young generation may grow further while
 * collections follow one another closely: then most of what they copy is of work under way, and half as many cost half as much.
 */
export function keepHeapSmall(growsWhenBusy: boolean): void {
  if (observer !== undefined || isChosen([...process.execArgv, process.env['NODE_OPTIONS'] ?? ''])) return
  setFlagsFromString(`--heap-growing-percent=${LIMITS.oldHeapGrowthPercent}`)
  const pace = new Pace()
  observer = new PerformanceObserver((collections) => {
    const isBusy = pace.after(collections.getEntries()) && growsWhenBusy
    grow(youngBytes() < (isBusy ? LIMITS.busyYoungHeapBytes : LIMITS.youngHeapBytes) ? 2 : 1)
  })
  observer.observe({ type: 'gc' })
}

const COLLECTIONS = 32
/** Of processor time from one to the next: on a machine that is busy with others a server is as busy as it is. */
const CLOSE_MS = 45
/** The others are parts of these. */
const WHOLE: ReadonlySet<number | undefined> = new Set([
  constants.NODE_PERFORMANCE_GC_MINOR,
  constants.NODE_PERFORMANCE_GC_MAJOR,
])

/** Whether the latest collections came closely one after another, as a stream of requests makes them. */
class Pace {
  #times: readonly number[] = []

  after(collections: readonly PerformanceEntry[]): boolean {
    const { user, system } = process.cpuUsage()
    const whole = collections.filter((one) => WHOLE.has(kindOf(one)))
    this.#times = [...this.#times, ...whole.map(() => (user + system) / 1_000)].slice(-COLLECTIONS)
    const [first = 0, last = first] = [this.#times[0], this.#times.at(-1)]
    return this.#times.length === COLLECTIONS && last - first < COLLECTIONS * CLOSE_MS
  }
}

function kindOf(collection: PerformanceEntry): number | undefined {
  return (collection as { readonly detail?: { readonly kind?: number } }).detail?.kind
}

/**
 * The settings hold for every thread, and one that begins now would never grow: before a thread runs code of a user, the
 * young generation may grow again, here too.
 */
export function letHeapsGrow(): void {
  observer?.disconnect()
  grow(2)
}

function isChosen(options: readonly string[]): boolean {
  return options.some((text) => /semi[-_]space|heap[-_]growing/.test(text))
}

function youngBytes(): number {
  return getHeapSpaceStatistics().find((space) => space.space_name === 'new_space')?.space_size ?? 0
}

function grow(factor: GrowthFactor): void {
  if (factor === growth) return
  growth = factor
  setFlagsFromString(`--semi-space-growth-factor=${factor}`)
}
