/** Which steps come before which in a plan as it was written, even while parts of the plan are still wrong. */
import type { Outline } from '../../core/plan/read/outline.ts'

export interface Predecessors {
  /** How many steps come directly before this one. */
  count(step: number): number
  /** Of a sequential plan. */
  isEarlier(step: number, than: number): boolean
  hasItems(step: number): boolean
  /** Of a graph, by index. */
  dependencies(): readonly (readonly number[])[]
}

export function predecessorsOf({ steps, isGraph, indexOf }: Outline): Predecessors {
  const rankOf = (step: number): number => {
    const order = steps[step]?.order
    return typeof order === 'number' ? order : step + 1
  }
  const dependenciesOf = (step: number): readonly number[] => [
    ...new Set(steps[step]?.dependsOn?.flatMap((id) => (typeof id === 'string' ? (indexOf.get(id) ?? []) : []))),
  ]
  return {
    count: (step) => (isGraph ? dependenciesOf(step).length : rankOf(step) > 1 ? 1 : 0),
    isEarlier: (step, than) => rankOf(step) < rankOf(than),
    hasItems: (step) => steps[step]?.hasItems === true,
    dependencies: () => steps.map((_, step) => dependenciesOf(step)),
  }
}
