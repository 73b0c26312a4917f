/**
 * A log of which certain events are read at once, in pages: whoever then asks for them one by one asks nobody. For readers of the results
 * of many steps.
 */
import type { RunKey } from '../../ports/run-store.ts'
import { eventsAt } from '../log/stored-events.ts'
import type { ValueStore } from './read-results.ts'

export async function readTogether(store: ValueStore, runKey: RunKey, seqs: Iterable<number>): Promise<ValueStore> {
  const known = await eventsAt(store, runKey, seqs)
  return {
    readEvents: async (key, range) => {
      const one = key === runKey && range.limit === 1 ? known.get((range.afterSeq ?? 0) + 1) : undefined
      return one === undefined ? store.readEvents(key, range) : [one]
    },
    readContext: (key, atSeq) => store.readContext(key, atSeq),
    getBlob: (key, sha256) => store.getBlob(key, sha256),
  }
}
