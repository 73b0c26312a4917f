/** The whole stored log of one run, page after page. */
import type { RunKey, RunStore, StoredEvent } from '../ports/run-store.ts'

export async function* storedEvents(store: RunStore, runKey: RunKey, afterSeq = 0): AsyncGenerator<StoredEvent> {
  for (let after = afterSeq; ;) {
    const page = await store.readEvents(runKey, { afterSeq: after })
    const last = page.at(-1)
    if (last === undefined) return
    yield* page
    after = last.runSeq
  }
}
