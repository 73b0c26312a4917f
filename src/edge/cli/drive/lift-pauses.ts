/** Paused runs that are to go on: the one that a person names, otherwise those that Ctrl-C left paused. */
import type { RunHandle } from '../../../main.ts'
import type { Wanted } from '../open/adopt-when-free.ts'
import { INTERRUPTED } from '../progress/interrupts.ts'

/** The ids of the runs that were told; whoever drives a run next takes it from its inbox first. */
export async function liftPauses(wanted: readonly Wanted[], isNamed: boolean): Promise<ReadonlySet<string>> {
  const lifted = new Set<string>()
  for (const { keelson, row } of wanted) {
    if (row.status !== 'PAUSED') continue
    const handle = await keelson.run(row.runId)
    if (!isNamed && !(await isInterrupted(handle))) continue
    await handle.signal('RESUME', { reason: 'keelson resume' }, { wait: false })
    lifted.add(row.runId)
  }
  return lifted
}

async function isInterrupted(handle: RunHandle): Promise<boolean> {
  const paused = (await handle.records()).findLast(({ eventType }) => eventType === 'RunPaused')
  return paused?.payload?.['reason'] === INTERRUPTED
}
