/** A run as people see it, again each time it has changed: for a page or a program that shows its state (PRJ-26). */
import { openProjector } from '../../app/project/project-run.ts'
import { metaOf } from '../../app/project/read-snapshot.ts'
import { unwrap } from '../../core/result.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import type { RunSnapshot } from '../../core/view/fold/run-snapshot.ts'
import type { RunView } from '../../core/view/fold/run-view.ts'
import { snapshotOf } from '../../core/view/show/snapshot-of.ts'
import type { RunRow } from '../../ports/run-store.ts'
import type { ReadingParts } from '../parts.ts'
import type { RunLog } from './run-log.ts'

const LOOK_MS = 250

/** Ends with the run, or when Keelson closes. What several events changed at once is one snapshot. */
export async function* runSnapshots(
  { services, advancer, moves }: ReadingParts,
  log: RunLog,
  row: RunRow,
): AsyncGenerator<RunSnapshot, void> {
  const { store, clock } = services
  let failure: { readonly thrown: unknown } | undefined
  const onError = (thrown: unknown): void => {
    failure = { thrown }
  }
  const deps = { store, clock, keepsViews: false, onError }
  const projector = unwrap(await openProjector(deps, row, await metaOf(advancer.plans, row)))
  let fresh: RunView | undefined
  projector.subscribe((view) => {
    fresh = view
  })
  for (let isFirst = true; !moves.isClosed; isFirst = false) {
    await log.needUsable()
    // Before the look at the log: what is written after it wakes us.
    const { moved, forget } = moves.next(row.runKey, LOOK_MS)
    try {
      await projector.pump()
      if (failure !== undefined) throw failure.thrown
      const { view } = projector.state()
      if (isFirst || fresh !== undefined) yield snapshotOf(view)
      fresh = undefined
      if (isTerminalRun(view.run.status)) return
      await moved
    } finally {
      forget()
    }
  }
}
