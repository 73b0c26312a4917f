/** What the memory store says about itself (STO-23). */
import type { StoreManifest } from '../../../ports/run-store.ts'

export const MANIFEST: StoreManifest = {
  name: 'memory',
  durable: false,
  duplicates: 'return-existing: the open append answers a known key with the first event; nothing is overwritten',
  sequence: 'a counter per run; one thread, so commit order is number order',
  orphans: 'none: a run and its first events are added in one step',
}
