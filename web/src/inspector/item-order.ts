/** In which order the items of a fan-out are listed: those that failed first, because they are what one looks for among thousands. */
import { vectorGet } from '../../../src/core/collections/vector.ts'
import { itemCounter } from '../../../src/core/view/fold/slot-facts.ts'
import { numberOf } from '../../../src/core/view/fold/name-index.ts'
import type { FanFold, RunView } from '../../../src/core/view/fold/run-view.ts'

export function fanOf(view: RunView, stepId: string): FanFold | undefined {
  return vectorGet(view.steps, numberOf(view.names, stepId) ?? -1)?.fan
}

/** The numbers of the items that failed. Nothing is looked through where none has. */
export function failedItems(fan: FanFold | undefined): readonly number[] {
  const failed: number[] = []
  if (fan === undefined) return failed
  for (let index = 0; failed.length < fan.failed && index < fan.total; index += 1) {
    const pair = vectorGet(fan.items, index)
    if (pair !== undefined && itemCounter(pair) === 'failed') failed.push(index)
  }
  return failed
}

/** The first so many in that order. */
export function listedItems(failed: readonly number[], total: number, most: number): readonly number[] {
  const isFailed = new Set(failed)
  const listed = failed.slice(0, most)
  for (let index = 0; listed.length < most && index < total; index += 1) if (!isFailed.has(index)) listed.push(index)
  return listed
}
