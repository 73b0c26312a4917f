/** What the PostgreSQL store says about itself (STO-23). */
import type { StoreManifest } from '../../../ports/run-store.ts'

export const MANIFEST: StoreManifest = {
  name: 'postgres',
  durable: true,
  duplicates: 'return-existing: the open append answers a known key with the first event; nothing is overwritten',
  sequence: 'next_seq of the run row, compared and set under its row lock, which is held until the commit',
  orphans: 'none: a run row and its first events are one transaction',
}
