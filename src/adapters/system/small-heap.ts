/**
 * Settings of the runtime's memory, for the whole process. V8 lets its young generation grow to 128 MB while many runs
 * are active, although 20 MB of it live, and collects old objects late. How far the young generation may grow is read when
 * a process starts; whether it grows any further is read at each collection, so that this is decided after each of them.
 */
import { PerformanceObserver } from 'node:perf_hooks'
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { LIMITS } from '../../core/limits.ts'

/** By what the young generation grows at once; 1: it stays as it is. */
type GrowthFactor = 1 | 2
let growth: GrowthFactor = 2
let observer: PerformanceObserver | undefined

/** Whoever starts Node with settings of its own for these keeps them. */
export function keepHeapSmall(): void {
  if (observer !== undefined || isChosen([...process.execArgv, process.env['NODE_OPTIONS'] ?? ''])) return
  setFlagsFromString(`--heap-growing-percent=${LIMITS.oldHeapGrowthPercent}`)
  observer = new PerformanceObserver(() => grow(youngBytes() < LIMITS.youngHeapBytes ? 2 : 1))
  observer.observe({ type: 'gc' })
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
