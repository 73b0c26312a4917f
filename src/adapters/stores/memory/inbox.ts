/** The inbox of a run (P-21): anyone inserts, only a commit consumes; rows stay, so that a repeat is recognised. */
import { hash } from 'node:crypto'
import type { InboxAnswer, InboxInsert, InboxRow, RunCommit, RunRef } from '../../../ports/run-store.ts'
import type { MemoryDisk, MemoryInboxRow, MemoryRun } from './connect.ts'
import { liveByRef } from './read.ts'

export function insertInbox(
  disk: MemoryDisk,
  ref: RunRef,
  insert: InboxInsert,
  now: number,
): InboxAnswer | { readonly kind: 'no-run' } {
  const run = liveByRef(disk, ref)
  return run === undefined ? { kind: 'no-run' } : insertRow(run, insert, now)
}

export function insertRow(run: MemoryRun, insert: InboxInsert, now: number): InboxAnswer {
  const { inboxId, kind, body } = insert
  const known = run.inbox.get(inboxId)
  if (known !== undefined) return { kind: hasBody(known, body) ? 'duplicate' : 'conflict', row: known.row }
  run.inbox.set(inboxId, { row: Object.freeze({ inboxId, kind, body, insertedAt: now }) })
  run.pending.add(inboxId)
  return { kind: 'inserted' }
}

function hasBody(known: MemoryInboxRow, body: string): boolean {
  return known.bodySha256 === undefined ? known.row.body === body : known.bodySha256 === hash('sha256', body)
}

export function readInbox(run: MemoryRun | undefined): readonly InboxRow[] {
  return [...(run?.pending ?? [])].flatMap((inboxId) => run?.inbox.get(inboxId)?.row ?? [])
}

/** Why a commit may not consume the rows it names: another commit consumed one, or it never existed. */
export function consumptionRefusal(run: MemoryRun, commit: RunCommit): 'conflict' | 'constraint' | undefined {
  for (const { inboxId } of commit.consumed ?? []) {
    if (!run.inbox.has(inboxId)) return 'constraint'
    if (!run.pending.has(inboxId)) return 'conflict'
  }
  return undefined
}

export function consume(run: MemoryRun, inboxId: string, seq: number): void {
  const known = run.inbox.get(inboxId)
  if (known === undefined) return
  run.inbox.set(inboxId, { ...known, row: Object.freeze({ ...known.row, consumedSeq: seq }) })
  run.pending.delete(inboxId)
}

export function eraseBodies(run: MemoryRun, upToSeq: number): void {
  for (const [inboxId, { row, bodySha256 }] of run.inbox) {
    if (row.consumedSeq === undefined || row.consumedSeq > upToSeq || bodySha256 !== undefined) continue
    run.inbox.set(inboxId, { row: Object.freeze({ ...row, body: '' }), bodySha256: hash('sha256', row.body) })
  }
}
