/**
 * What to know before an ended run is forked: steps whose undoing failed or was cut off. What they did is still there, and
 * the new run does it again (DESIGN §10).
 */
import { snapshotOf } from '../../core/view/snapshot-of.ts'
import type { StepSnapshot } from '../../core/view/run-snapshot.ts'
import type { Keelson, RunHandle } from '../../main.ts'
import { plural } from './output/format.ts'
import { isNotUndone } from './output/picture.ts'
import { watchRun } from './run-watch.ts'

export async function forkWarnings(keelson: Keelson, old: RunHandle): Promise<readonly string[]> {
  const watch = await watchRun(keelson, old)
  await watch.pump()
  return snapshotOf(watch.view).steps.flatMap(warningOf)
}

function warningOf({ stepId, role, compensation, items }: StepSnapshot): readonly string[] {
  const again = 'what was done is still there, and the new run does it again'
  const name = role === undefined ? stepId : `the fallback of ${stepId}`
  const left = items?.notUndone ?? 0
  if (left > 0) return [`${plural(left, 'item')} of ${stepId} could not be undone: ${again}`]
  return compensation !== undefined && isNotUndone(compensation, false) ? [`${name} could not be undone: ${again}`] : []
}
