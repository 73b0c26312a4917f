/**
 * The projection of a run (PRJ-01): a pure fold of its log in strictly increasing `runSeq`, in whatever order and
 * however often records arrive. Timestamps never order anything; numbers are never invented (PRJ-02, EVT-14).
 */
import { appendAll } from '../../collections/append-all.ts'
import type { LogRecord } from '../../events/event.ts'
import { msFromIso } from '../../time.ts'
import { foldEvent } from '../fold/fold-event.ts'
import { noteOf } from '../fold/reading.ts'
import type { RunMeta } from '../fold/run-meta.ts'
import { emptyView, type RunView } from '../fold/run-view.ts'
import { alertAbout, type ConsumerNote, type ViewAlert } from '../fold/view-alert.ts'

export interface Projection {
  readonly view: RunView
  readonly alerts: readonly ViewAlert[]
  readonly notes: readonly ConsumerNote[]
}

/** Producer and store clocks that differ by more than this are reported (EVT-32). */
const CLOCK_SKEW_MS = 5 * 60 * 1000

export function projectRun(meta: RunMeta, events: readonly LogRecord[]): Projection {
  return incrementalProject(emptyView(meta), events)
}

/** The view after these records. The given view is not changed; records at or below its watermark are ignored. */
export function incrementalProject(view: RunView, newEvents: readonly LogRecord[]): Projection {
  const alerts: ViewAlert[] = []
  const notes: ConsumerNote[] = []
  let current = view
  for (const record of inOrder(newEvents)) {
    if (record.runSeq <= current.lastEventSeq) continue
    const note = noteOf(record)
    if (note !== undefined) notes.push(note)
    const skewed = isSkewed(record)
    if (skewed && !current.run.skewed) alerts.push(alertAbout(record, 'CLOCK_SKEW', skewDetail(record)))
    const folded = foldEvent(withSkew(current, skewed), record)
    appendAll(alerts, folded.alerts)
    current = { ...folded.view, lastEventSeq: record.runSeq }
  }
  return { view: current, alerts, notes }
}

/** A jump in the fetched numbers. It is natural and means a delay, never a loss (PRJ-09). */
export function detectNonContiguous(lastSeq: number, nextSeq: number): { readonly observedNonContiguous: boolean } {
  return { observedNonContiguous: nextSeq > lastSeq + 1 }
}

export function inOrder(events: readonly LogRecord[]): readonly LogRecord[] {
  for (let i = 1; i < events.length; i += 1) {
    if ((events[i]?.runSeq ?? 0) < (events[i - 1]?.runSeq ?? 0)) return [...events].sort((a, b) => a.runSeq - b.runSeq)
  }
  return events
}

function withSkew(view: RunView, skewed: boolean): RunView {
  return skewed === view.run.skewed ? view : { ...view, run: { ...view.run, skewed } }
}

function skewMs(record: LogRecord): number {
  return (msFromIso(record.persistedAt) ?? 0) - (msFromIso(record.emittedAt) ?? 0)
}

function isSkewed(record: LogRecord): boolean {
  return Math.abs(skewMs(record)) > CLOCK_SKEW_MS
}

function skewDetail(record: LogRecord): string {
  return `Stored ${Math.round(skewMs(record) / 1000)} s after its producer says it was emitted.`
}
