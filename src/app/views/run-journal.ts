/**
 * The journal of a run, line by line and page by page, for exporters, auditors and time-window queries. It tolerates logs
 * of later versions (UIC-08); a record that cannot be read at all ends it with that problem.
 */
import { unwrap } from '../../core/result.ts'
import { LIMITS } from '../../core/limits.ts'
import { journalOf, storedWithin, type JournalLine } from '../../core/view/show/journal.ts'
import type { RunKey, RunStore } from '../../ports/run-store.ts'
import { envelopeOf } from '../log/read-events.ts'

/** The part of the log stored at or after `fromMs` and before `toMs`, by the store's clock (EVT-16). */
export interface JournalWindow {
  readonly fromMs?: number
  readonly toMs?: number
}

export async function* journalLines(
  store: Pick<RunStore, 'readEvents'>,
  runKey: RunKey,
  { fromMs = Number.NEGATIVE_INFINITY, toMs = Number.POSITIVE_INFINITY }: JournalWindow = {},
): AsyncGenerator<JournalLine, void> {
  for (let afterSeq = 0; ;) {
    const page = await store.readEvents(runKey, { afterSeq, limit: LIMITS.fetchPageEvents })
    const last = page.at(-1)
    if (last === undefined) return
    afterSeq = last.runSeq
    const records = page.map((stored) => unwrap(envelopeOf(stored)))
    yield* journalOf(storedWithin(records, fromMs, toMs))
  }
}
