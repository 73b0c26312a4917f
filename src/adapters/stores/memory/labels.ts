/** The labels of runs: lists find runs by them. */
import type { ListFilter, RunLabels } from '../../../ports/run-store.ts'

export function hasLabels(labels: RunLabels, filter: ListFilter): boolean {
  return Object.entries(filter.labels ?? {}).every(
    ([name, value]) => Object.hasOwn(labels, name) && labels[name] === value,
  )
}
