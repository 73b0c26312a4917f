/**
 * The open append (P-15): no expectation; known keys are answered with what is stored, the rest is numbered in the
 * order of the batch under the write lock. One transaction: all or nothing (STO-29).
 */
import { hasContent } from '../../../core/events/event-content.ts'
import { fail } from '../../../core/problems/problem.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { OpenAppendResult, OpenWrite, RunRef, SealedEvent, StoredEvent } from '../../../ports/run-store.ts'
import type { Connection } from './connect.ts'
import { brokenConstraint } from './failure.ts'
import { insertEvents, withOpenGate } from './insert-events.ts'
import { storedEvent } from './read.ts'
import { bytes, number } from './run-row.ts'
import { requireTenant } from './scope.ts'

const HEAD = `SELECT run_key, next_seq, head_hash FROM runs
  WHERE tenant_id = ? AND run_id = ? AND archived_at IS NULL`
const BY_KEY = 'SELECT * FROM events WHERE run_key = ? AND idempotency_key = ?'
const MOVE = `UPDATE runs SET next_seq = ?, head_hash = ?, updated_at = ?, feed_pos = (SELECT max(feed_pos) + 1 FROM runs)
  WHERE run_key = ?`

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
    const firstSeq = number(head, 'next_seq')
    let nextSeq = firstSeq
    let previous = bytes(head, 'head_hash')
    const results = writes.map((write) => {
      const known = connection.sql(BY_KEY).get(runKey, Buffer.from(write.idempotencyKey, 'hex'))
      if (known !== undefined) return resultOf(storedEvent(known), write, true)
      const sealed = sealNext(seal, write, nextSeq, previous)
      insertNext(connection, runKey, sealed, now)
      nextSeq++
      previous = sealed.chainHash
      return resultOf({ ...sealed, persistedAt: now }, write, false)
    })
    if (nextSeq > firstSeq) connection.sql(MOVE).run(nextSeq, previous, now, runKey)
    return results
  })
}

function sealNext<W>(seal: Seal<W>, write: W, runSeq: number, previous: Uint8Array): SealedEvent {
  const sealed = seal(write, runSeq, previous)
  if (sealed.runSeq === runSeq) return sealed
  return fail('SCHEMA_VALIDATION_FAILED', `An event came with runSeq ${sealed.runSeq}; the store assigned ${runSeq}.`)
}

function insertNext(connection: Connection, runKey: number, sealed: SealedEvent, now: number): void {
  try {
    withOpenGate(connection, () => insertEvents(connection, runKey, [sealed], now))
  } catch (error) {
    if (brokenConstraint(error) !== 'terminalSlot') throw error
    fail('INVALID_TRANSITION', `The attempt ${sealed.terminalSlot} has ended before.`)
  }
}

function resultOf(stored: StoredEvent, write: OpenWrite, known: boolean): OpenAppendResult {
  const { eventId } = JSON.parse(stored.record) as { readonly eventId: string }
  const { runSeq, persistedAt } = stored
  const result = { runSeq, eventId, persistedAt, idempotent: known, persisted: !known }
  return known && !hasContent(stored, write.content) ? { ...result, conflict: true } : result
}
