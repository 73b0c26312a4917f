/**
 * The open append (P-15): no expected position; the run's row is locked, known keys return what is stored, the rest is
 * numbered in the order of the batch. One transaction: all or nothing (STO-29). An insert whose key is nevertheless
 * taken does nothing, and the whole append is repeated on the new state (STO-17).
 */
import { hasContent } from '../../../core/events/event-content.ts'
import { fail } from '../../../core/problems/problem.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { OpenAppendResult, OpenWrite, RunRef, SealedEvent, StoredEvent } from '../../../ports/run-store.ts'
import { brokenConstraint, serializationFailure } from './failure.ts'
import { EVENT_COLUMNS, eventColumns, eventParameters } from './insert-events.ts'
import { storedEvent } from './read.ts'
import { bytes, number, type Columns } from './run-row.ts'
import { requireTenant } from './scope.ts'
import type { Sessions, Transaction } from './session.ts'
import { bytesArray } from './wire-array.ts'

const LOCK = `SELECT run_key, next_seq, head_hash FROM keelson.runs WHERE tenant_id = $1 AND run_id = $2
  AND archived_at IS NULL FOR NO KEY UPDATE`
/** A separate statement, so that it sees what was committed during the wait for the lock. */
const KNOWN = `SELECT *, floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now
  FROM (SELECT 1) AS one LEFT JOIN keelson.events ON run_key = $1 AND idempotency_key = ANY ($2::bytea[])`
const INSERT = `INSERT INTO keelson.events (run_key, persisted_at, ${EVENT_COLUMNS})
  SELECT $1, $2, * FROM unnest(${eventParameters(3)}) ON CONFLICT (run_key, idempotency_key) DO NOTHING RETURNING seq`
const MOVE = 'UPDATE keelson.runs SET next_seq = $2, head_hash = $3, updated_at = $4 WHERE run_key = $1'

type Seal<W> = (write: W, runSeq: number, previous: Uint8Array) => SealedEvent

export async function appendOpen<W extends OpenWrite>(
  connection: Sessions,
  ref: RunRef,
  writes: readonly W[],
  seal: Seal<W>,
  clock: Clock | undefined,
): Promise<readonly OpenAppendResult[]> {
  requireTenant(ref.tenantId)
  return connection.transaction((transaction) => append(transaction, ref, writes, seal, clock))
}

async function append<W extends OpenWrite>(
  transaction: Transaction,
  ref: RunRef,
  writes: readonly W[],
  seal: Seal<W>,
  clock: Clock | undefined,
): Promise<readonly OpenAppendResult[]> {
  const [head] = await transaction.query(LOCK, [ref.tenantId, ref.runId])
  if (head === undefined) return fail('RUN_NOT_FOUND', `There is no run ${ref.runId}.`)
  const keys = writes.map(({ idempotencyKey }) => Buffer.from(idempotencyKey, 'hex'))
  const known = await transaction.query(KNOWN, [head['run_key'], bytesArray(keys)])
  const now = clock?.now() ?? number(known[0] ?? {}, 'now')
  const { results, fresh } = numbered(head, known, writes, seal, now)
  if (fresh.length === 0) return results
  const inserted = await insertNext(transaction, head, fresh, now)
  if (inserted < fresh.length) throw serializationFailure('a key was taken between the look and the insert')
  const last = fresh.at(-1)
  const moved = [head['run_key'], number(head, 'next_seq') + fresh.length, last?.chainHash, now]
  await transaction.query(MOVE, moved)
  return results
}

/** Numbers and seals new events; an event known from the log or from earlier in the batch keeps its first version. */
function numbered<W extends OpenWrite>(
  head: Columns,
  known: readonly Columns[],
  writes: readonly W[],
  seal: Seal<W>,
  now: number,
): { readonly results: readonly OpenAppendResult[]; readonly fresh: readonly SealedEvent[] } {
  const stored = new Map<string, StoredEvent>()
  for (const row of known) if (row['seq'] !== null) stored.set(hexOf(bytes(row, 'idempotency_key')), storedEvent(row))
  const fresh: SealedEvent[] = []
  let previous = bytes(head, 'head_hash')
  const results = writes.map((write) => {
    const first = stored.get(write.idempotencyKey.toLowerCase())
    if (first !== undefined) return resultOf(first, write, true)
    const sealed = sealNext(seal, write, number(head, 'next_seq') + fresh.length, previous)
    previous = sealed.chainHash
    fresh.push(sealed)
    stored.set(hexOf(sealed.idempotencyKey), { ...sealed, persistedAt: now })
    return resultOf({ ...sealed, persistedAt: now }, write, false)
  })
  return { results, fresh }
}

const hexOf = (key: Uint8Array): string => Buffer.from(key).toString('hex')

function sealNext<W>(seal: Seal<W>, write: W, runSeq: number, previous: Uint8Array): SealedEvent {
  const sealed = seal(write, runSeq, previous)
  if (sealed.runSeq === runSeq) return sealed
  return fail('SCHEMA_VALIDATION_FAILED', `An event came with runSeq ${sealed.runSeq}; the store assigned ${runSeq}.`)
}

async function insertNext(
  transaction: Transaction,
  head: Columns,
  fresh: readonly SealedEvent[],
  now: number,
): Promise<number> {
  try {
    return (await transaction.query(INSERT, [head['run_key'], now, ...eventColumns(fresh)])).length
  } catch (error) {
    if (brokenConstraint(error) !== 'terminalSlot') throw error
    return fail('INVALID_TRANSITION', 'An attempt of this batch has already ended.')
  }
}

function resultOf(stored: StoredEvent, write: OpenWrite, known: boolean): OpenAppendResult {
  const { eventId } = JSON.parse(stored.record) as { readonly eventId: string }
  const { runSeq, persistedAt } = stored
  const result = { runSeq, eventId, persistedAt, idempotent: known, persisted: !known }
  return known && !hasContent(stored, write.content) ? { ...result, conflict: true } : result
}
