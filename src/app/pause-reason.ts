/** Why a run is paused, in the words of who paused it: the log has them, the fold does not. */
import type { RunKey, RunStore } from '../ports/run-store.ts'
import { recordOf } from './read-events.ts'

/** Of the last pause; undefined when nobody gave a reason. */
export async function pauseReason(store: Pick<RunStore, 'readEvents'>, runKey: RunKey): Promise<string | undefined> {
  let reason: unknown
  for (let afterSeq = 0; ;) {
    const page = await store.readEvents(runKey, { afterSeq })
    const last = page.at(-1)
    if (last === undefined) return typeof reason === 'string' ? reason : undefined
    const paused = page.findLast(({ eventType }) => eventType === 'RunPaused')
    const record = paused === undefined ? undefined : recordOf(paused)
    if (record?.ok === true) reason = record.value.payload?.['reason']
    afterSeq = last.runSeq
  }
}
