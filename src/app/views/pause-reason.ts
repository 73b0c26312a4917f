/** Why a run is paused, in the words of the person who paused it: the log has them, the fold does not. */
import type { RunKey, RunStore } from '../../ports/run-store.ts'
import { recordOf } from '../log/read-events.ts'
import { storedEvents } from '../log/stored-events.ts'

/** The reason of the last pause; undefined when none was given. */
export async function pauseReason(store: Pick<RunStore, 'readEvents'>, runKey: RunKey): Promise<string | undefined> {
  let reason: unknown
  for await (const stored of storedEvents(store, runKey)) {
    const record = stored.eventType === 'RunPaused' ? recordOf(stored) : undefined
    if (record?.ok === true) reason = record.value.payload?.['reason']
  }
  return typeof reason === 'string' ? reason : undefined
}
