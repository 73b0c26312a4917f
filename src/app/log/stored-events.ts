/** Stored events of one run: the whole log, page by page, one event, or those with certain numbers. */
import { LIMITS } from '../../core/limits.ts'
import type { RunKey, RunStore, StoredEvent } from '../../ports/run-store.ts'

type Log = Pick<RunStore, 'readEvents'>

/** All events after a number, in order. */
export async function* storedEvents(store: Log, runKey: RunKey, afterSeq = 0): AsyncGenerator<StoredEvent> {
  for (let after = afterSeq; ;) {
    const page = await store.readEvents(runKey, { afterSeq: after })
    const last = page.at(-1)
    if (last === undefined) return
    yield* page
    after = last.runSeq
  }
}

/** The event with this number; undefined when there is none. */
export async function eventAt(store: Log, runKey: RunKey, runSeq: number): Promise<StoredEvent | undefined> {
  const [stored] = await store.readEvents(runKey, { afterSeq: runSeq - 1, limit: 1 })
  return stored?.runSeq === runSeq ? stored : undefined
}

/** The events with these numbers: one read for each page that they lie in, not one for each. Those that are not there are absent. */
export async function eventsAt(
  store: Log,
  runKey: RunKey,
  seqs: Iterable<number>,
): Promise<ReadonlyMap<number, StoredEvent>> {
  const wanted = [...new Set(seqs)].toSorted((a, b) => a - b)
  const found = new Map<number, StoredEvent>()
  for (let at = 0; at < wanted.length;) {
    const first = wanted[at] ?? 0
    let end = at
    while (end < wanted.length && (wanted[end] ?? 0) < first + LIMITS.fetchPageEvents) end += 1
    const inPage = new Set(wanted.slice(at, end))
    const limit = (wanted[end - 1] ?? first) - first + 1
    for (const stored of await store.readEvents(runKey, { afterSeq: first - 1, limit }))
      if (inPage.has(stored.runSeq)) found.set(stored.runSeq, stored)
    at = end
  }
  return found
}
