/**
 * How many signals a run may be sent in a minute where its engine sets a limit (TMP-05). Sent signals are counted in
 * the log and the inbox, so the limit holds over all processes and after a crash; a repeat does not count.
 */
import { ADAPTERS } from '../../core/engine/capabilities.ts'
import { LIMITS } from '../../core/limits.ts'
import { fail } from '../../core/problems/problem.ts'
import { engineTypeOf } from '../../core/engine/engine-type.ts'
import type { RunRow, StoredEvent } from '../../ports/run-store.ts'
import type { Services } from '../services.ts'

const WINDOW_MS = 60_000

export async function refuseFlood(
  { store, clock }: Pick<Services, 'store' | 'clock'>,
  { runKey, engineType }: RunRow,
  signalId: string,
): Promise<void> {
  const most = ADAPTERS[engineTypeOf(engineType)].limits?.['signalsPerMinute']
  const row = most === undefined ? undefined : await store.getRun(runKey)
  if (most === undefined || row === undefined) return
  const waiting = (await store.readInbox(runKey)).filter(({ kind }) => kind === 'signal').length
  if (waiting + (await recorded(store, row, clock.now() - WINDOW_MS, most)) < most) return
  if ((await store.findInbox(runKey, `signal:${signalId}`)) !== undefined) return
  fail('SIGNAL_RATE_EXCEEDED', `run ${row.runId} was sent ${most} signals within a minute`)
}

/** From the end of the log backwards, within the window. */
async function recorded(
  store: Services['store'],
  { runKey, nextSeq }: RunRow,
  since: number,
  most: number,
): Promise<number> {
  let count = 0
  for (let end = nextSeq - 1; end > 0 && count < most; end -= LIMITS.appendEvents) {
    const afterSeq = Math.max(0, end - LIMITS.appendEvents)
    const page = await store.readEvents(runKey, { afterSeq, limit: end - afterSeq })
    const recent = page.filter(({ persistedAt }) => persistedAt >= since)
    count += recent.filter(isSignal).length
    if (recent.length < page.length) break
  }
  return count
}

function isSignal({ eventType }: StoredEvent): boolean {
  return eventType === 'SignalAccepted' || eventType === 'SignalRejected'
}
