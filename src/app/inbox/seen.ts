/**
 * What a turn knows of a run besides its log: the rows of its inbox and the pauses of its scope. A turn that brings outcomes is
 * decided without reading them; its commit is refused, with what there is, when there is anything (P-53).
 */
import type { InboxRow, RunStore } from '../../ports/run-store.ts'
import type { ScopePause } from '../../ports/scope-pauses.ts'
import type { LoadedRun } from '../loaded/load-run.ts'

export interface Seen {
  readonly inboxRows: readonly InboxRow[]
  readonly pauses: readonly ScopePause[]
}

/** Nothing was read: the commit says whether there was anything. */
export const UNREAD: Seen = { inboxRows: [], pauses: [] }
/** The store does not answer; the turn may only produce intents. */
export const BLIND: Seen = { inboxRows: [], pauses: [] }

/** Asked for at once: a store that is far away answers both in one round trip. A paused run asks for no pause. */
export async function readSeen(store: RunStore, { row, identity, state }: LoadedRun): Promise<Seen> {
  const [inboxRows, pauses] = await Promise.all([
    store.readInbox(row.runKey),
    state.status === 'PAUSED' ? [] : store.readScopePauses(identity.tenantId),
  ])
  return { inboxRows, pauses }
}
