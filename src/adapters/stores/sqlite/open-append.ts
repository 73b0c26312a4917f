/**
 * The open append (P-15): no expected position; known keys return what is stored, the rest is numbered in the order of
 * the batch under the write lock. One transaction: all or nothing (STO-29).
 */
import { hasContent, stepOfContent } from '../../../core/events/event-content.ts'
import { fail } from '../../../core/problems/problem.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { OpenAppendResult, OpenWrite, RunKey, RunRef, SealedEvent, StoredEvent } from '../../../ports/run-store.ts'
import type { Connection } from './connect.ts'
import { endsAgain, seqOfKey } from './event-keys.ts'
import { brokenConstraint } from './failure.ts'
import { insertEvents } from './insert-events.ts'
import { eventsAfter } from './read.ts'
import { bytes, number } from './run-row.ts'
import { requireTenant } from './scope.ts'

const HEAD = `SELECT run_key, next_seq, head_hash FROM runs
  WHERE tenant_id = ? AND run_id = ? AND archived_at IS NULL`
const MOVE = 'UPDATE runs SET next_seq = ?, head_hash = ?, updated_at = ? WHERE run_key = ?'

/** As many as a decision may make: a reader takes an append as a whole. */
const EVENTS_PER_APPEND = 500

type Seal<W> = (write: W, runSeq: number, previous: Uint8Array) => SealedEvent

export async function appendOpen<W extends OpenWrite>(
  connection: Connection,
  ref: RunRef,
  writes: readonly W[],
  seal: Seal<W>,
  clock: Clock,
): Promise<readonly OpenAppendResult[]> {
  requireTenant(ref.tenantId)
  return connection.write(() => {
    const now = clock.now()
    const head = connection.sql(HEAD).get(ref.tenantId, ref.runId)
    if (head === undefined) return fail('RUN_NOT_FOUND', `There is no run ${ref.runId}.`)
    const runKey = number(head, 'run_key')
    const sealed: SealedEvent[] = []
    const ofBatch = new Map<string, StoredEvent>()
    let previous = bytes(head, 'head_hash')
    const results = writes.map((write) => {
      const known = ofBatch.get(write.idempotencyKey) ?? storedAs(connection, runKey, write)
      if (known !== undefined) return resultOf(known, write, true)
      const next = sealNext(seal, write, number(head, 'next_seq') + sealed.length, previous)
      const stored = { ...next, persistedAt: now }
      sealed.push(next)
      ofBatch.set(write.idempotencyKey, stored)
      previous = next.chainHash
      return resultOf(stored, write, false)
    })
    for (let from = 0; from < sealed.length; from += EVENTS_PER_APPEND)
      append(connection, runKey, sealed.slice(from, from + EVENTS_PER_APPEND), now)
    return results
  })
}

/** The event that has the key of this write. */
function storedAs(connection: Connection, runKey: RunKey, { idempotencyKey, content }: OpenWrite) {
  const seq = seqOfKey(connection, runKey, stepOfContent(content), Buffer.from(idempotencyKey, 'hex'))
  return seq === undefined ? undefined : eventsAfter(connection, runKey, seq - 1, 1)[0]
}

function sealNext<W>(seal: Seal<W>, write: W, runSeq: number, previous: Uint8Array): SealedEvent {
  const sealed = seal(write, runSeq, previous)
  if (sealed.runSeq === runSeq) return sealed
  return fail('SCHEMA_VALIDATION_FAILED', `An event came with runSeq ${sealed.runSeq}; the store assigned ${runSeq}.`)
}

function append(connection: Connection, runKey: RunKey, sealed: readonly SealedEvent[], now: number): void {
  const last = sealed.at(-1)
  connection.sql(MOVE).run((last?.runSeq ?? 0) + 1, last?.chainHash ?? null, now, runKey)
  try {
    insertEvents(connection, runKey, sealed, now)
  } catch (error) {
    if (brokenConstraint(error) !== 'terminalSlot') throw error
    const { terminalSlot = '' } = sealed.find((one) => endsAgain(connection, runKey, one)) ?? {}
    fail('INVALID_TRANSITION', `The attempt ${terminalSlot} has already ended.`)
  }
}

function resultOf(stored: StoredEvent, write: OpenWrite, known: boolean): OpenAppendResult {
  const { eventId } = JSON.parse(stored.record) as { readonly eventId: string }
  const { runSeq, persistedAt } = stored
  const result = { runSeq, eventId, persistedAt, idempotent: known, persisted: !known }
  return known && !hasContent(stored, write.content) ? { ...result, conflict: true } : result
}
