/**
 * What to know before an ended run is forked: steps whose undoing failed or was cut off. What they did is still there, and
 * the new run does it again (DESIGN §10).
 */
import { snapshotOf, undoneItemsOf } from '../../core/view/snapshot-of.ts'
import type { StepSnapshot } from '../../core/view/run-snapshot.ts'
import type { Keelson, RunHandle } from '../../main.ts'
import { plural } from './output/format.ts'
import { isNotUndone } from './output/picture.ts'
import { watchRun } from './run-watch.ts'

export async function forkWarnings(keelson: Keelson, old: RunHandle): Promise<readonly string[]> {
  const watch = await watchRun(keelson, old)
  await watch.pump()
  const { view } = watch
  return snapshotOf(view).steps.flatMap((step) => warningOf(step, undoneItemsOf(view, step.stepId)?.notUndone ?? 0))
}

function warningOf({ stepId, role, compensation }: StepSnapshot, left: number): readonly string[] {
  const again = 'what was done is still there, and the new run does it again'
  const name = role === undefined ? stepId : `the fallback of ${stepId}`
  if (left > 0 && role === undefined) return [`${plural(left, 'item')} of ${stepId} could not be undone: ${again}`]
  return compensation !== undefined && isNotUndone(compensation, false) ? [`${name} could not be undone: ${again}`] : []
}
