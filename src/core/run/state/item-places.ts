/** How many more items of a forEach may be at work: an item keeps its place from its first start to its end, also between its attempts. */
import type { RunState } from './state.ts'
import type { Unit } from './unit.ts'

export function itemPlacesLeft({ graph }: Pick<RunState, 'graph'>, { step, fan }: Unit): number {
  return (graph.itemLimits[step] ?? Infinity) - (fan === undefined ? 0 : fan.running + fan.waiting)
}
