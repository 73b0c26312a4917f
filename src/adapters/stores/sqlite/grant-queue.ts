/**
 * The queue for units (docs/adr/0002-grants.md, "Waiting" to "Bypass"): who waits, in which order free units are
 * offered, and who was overtaken how often. Every function works within the caller's transaction.
 */
import type { GrantRequest } from '../../../ports/grants.ts'
import type { RunKey } from '../../../ports/run-store.ts'
import type { Connection } from './connect.ts'
import { freeUnits, obstacle, SERVABLE } from './grant-pools.ts'
import { putInboxRow } from './inbox.ts'
import { number, text, type Columns } from './run-row.ts'

/** The changes of one transaction to the queue, and the pools whose waiters it must check before it ends. */
export interface Turn {
  readonly connection: Connection
  readonly now: number
  readonly stirred: Set<string>
}

export interface WaitingSlot {
  readonly place: number
  readonly offered: boolean
}

/** The run's rows, one per slot and pool. */
export const RUN_WAITS = 'SELECT * FROM grant_waits WHERE run_key = ? ORDER BY slot, attempt, pool'
const SLOT_WAIT = 'SELECT place, offered_until FROM grant_waits WHERE run_key = ? AND slot = ? AND attempt = ? LIMIT 1'
const LAST_PLACE = 'SELECT place FROM grant_waits ORDER BY place DESC LIMIT 1'
const ADD = `INSERT INTO grant_waits (pool, place, run_key, slot, attempt, tenant_id, priority, amount, since, run_turn)
  SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 1 + max(
    coalesce((SELECT turn FROM pools WHERE pool = ?1), 0),
    coalesce((SELECT max(run_turn) FROM grant_waits WHERE pool = ?1 AND run_key = ?3), 0))`
const DROP = 'DELETE FROM grant_waits WHERE place = ?'
/** Starving waiters by place; the others by priority, the tenant's turn, the run's turn, place. */
export const IN_ORDER = `SELECT w.place FROM grant_waits w JOIN pools p ON p.pool = w.pool
  LEFT JOIN pool_tenants t ON t.pool = w.pool AND t.tenant_id = w.tenant_id
  WHERE w.pool = ? AND (w.offered_until IS NULL OR w.offered_until <= ?)
  ORDER BY w.bypassed < 10, iif(w.bypassed < 10, w.priority, 0), iif(w.bypassed < 10, coalesce(t.turn, p.turn), 0),
    iif(w.bypassed < 10, w.run_turn, 0), w.place LIMIT ? OFFSET ?`
export const ROWS = `SELECT *, ${SERVABLE} AS servable FROM grant_waits w WHERE place = ?`
const OFFER = 'UPDATE grant_waits SET offers = ?, offered_until = ? WHERE place = ?'
export const BYPASS = `UPDATE grant_waits SET bypassed = bypassed + 1 WHERE place IN (SELECT place FROM grant_waits
  WHERE pool IN (SELECT value FROM json_each(?)) AND place < ? AND (offered_until IS NULL OR offered_until <= ?)
  AND NOT (run_key = ? AND slot = ?))`
export const RUN_OUT = 'UPDATE grant_waits SET offered_until = NULL WHERE pool = ? AND offered_until <= ?'
export const WAITED_FOR =
  'SELECT pool FROM pools p WHERE EXISTS (SELECT 1 FROM grant_waits w WHERE w.pool = p.pool) ORDER BY pool'

/** Slots that want more of this pool than it can ever give, and whose run would still read an inbox row. */
export const TOO_LARGE = `SELECT place FROM grant_waits w INDEXED BY grant_waits_amount
  WHERE pool = ?1 AND amount > (SELECT capacity FROM pools WHERE pool = ?1) AND ${SERVABLE}`
const UNREAD = `SELECT 1 FROM run_inbox WHERE run_key = ?1 AND consumed_seq IS NULL AND substr(inbox_id, 1, length(?2)) = ?2`

const OFFER_MS = 5000
/** A waiter that does not fit is passed over, up to this many (SCH-06). */
const PASSED_OVER = 100

export function waitOf({ connection, now }: Turn, runKey: RunKey, request: GrantRequest): WaitingSlot | undefined {
  const row = connection.sql(SLOT_WAIT).get(runKey, request.slot, request.attempt)
  return row === undefined ? undefined : { place: number(row, 'place'), offered: number(row, 'offered_until') > now }
}

/** Sets all waiting slots of the run: a slot that stays keeps its place. */
export function setWaits(turn: Turn, runKey: RunKey, tenantId: string, waits: readonly GrantRequest[]): void {
  const { connection } = turn
  const listed = new Set(waits.map(keyOf))
  const known = new Set<string>()
  for (const row of connection.sql(RUN_WAITS).all(runKey)) {
    const key = keyOf({ slot: text(row, 'slot'), attempt: number(row, 'attempt') })
    if (listed.has(key)) known.add(key)
    else {
      connection.sql(DROP).run(number(row, 'place'))
      turn.stirred.add(text(row, 'pool'))
    }
  }
  for (const wait of waits) if (!known.has(keyOf(wait))) addWait(turn, runKey, tenantId, wait)
}

function keyOf({ slot, attempt }: Pick<GrantRequest, 'slot' | 'attempt'>): string {
  return `${attempt}#${slot}`
}

function addWait({ connection, now, stirred }: Turn, runKey: RunKey, tenantId: string, wait: GrantRequest): void {
  const place = number(connection.sql(LAST_PLACE).get() ?? {}, 'place') + 1
  for (const [pool, amount] of Object.entries(wait.wants)) {
    connection.sql(ADD).run(pool, place, runKey, wait.slot, wait.attempt, tenantId, wait.priority, amount, now)
    stirred.add(pool)
  }
}

/** The slot was granted what it waited for: no units became free. */
export function leaveQueue({ connection }: Turn, place: number): void {
  connection.sql(DROP).run(place)
}

/** Counts one more bypass for every older waiter without an offer. */
export function countBypass(
  { connection, now }: Turn,
  pools: readonly string[],
  place: number,
  runKey: RunKey,
  slot: string,
): void {
  connection.sql(BYPASS).run(JSON.stringify(pools), place, now, runKey, slot)
}

/** Offers the free units of the pools this turn touched. Returns the number of offers. */
export function offerStirred(turn: Turn): number {
  let made = 0
  for (const pool of [...turn.stirred].sort()) while (offerOne(turn, pool)) made++
  turn.stirred.clear()
  return made
}

function offerOne(turn: Turn, pool: string): boolean {
  const { connection, now } = turn
  if (freeUnits(connection, pool, now) <= 0) return false
  for (const rows of inOrder(turn, pool)) {
    const asker = { place: number(rows[0] ?? {}, 'place'), offered: false }
    if (obstacle(connection, wantsOf(rows), asker, now) !== undefined) continue
    offer(turn, rows)
    return true
  }
  return false
}

/** Rows of a pool's slots in order, up to the number that may be examined. Usually the first one fits. */
function* inOrder({ connection, now }: Turn, pool: string): Generator<readonly Columns[]> {
  let looked = 0
  for (let from = 0; ; from += PASSED_OVER) {
    const places = connection.sql(IN_ORDER).all(pool, now, PASSED_OVER, from)
    for (const { place } of places) {
      const rows = connection.sql(ROWS).all(place ?? null)
      if (rows[0]?.['servable'] !== 1) continue
      yield rows
      if (++looked > PASSED_OVER) return
    }
    if (places.length < PASSED_OVER) return
  }
}

function offer(turn: Turn, rows: readonly Columns[]): void {
  const { connection, now } = turn
  const [row = {}] = rows
  const place = number(row, 'place')
  connection.sql(OFFER).run(writeTo(turn, row), now + OFFER_MS, place)
  countBypass(turn, Object.keys(wantsOf(rows)), place, number(row, 'run_key'), text(row, 'slot'))
}

/** Returns the number of the inbox row: how many this attempt has had. */
function writeTo({ connection, now }: Turn, row: Columns): number {
  const [runKey, slot, attempt] = [number(row, 'run_key'), text(row, 'slot'), number(row, 'attempt')]
  const body = JSON.stringify({ slot, attempt })
  // A slot that left the queue and came back has inbox rows of its earlier place: its numbers continue after those.
  let inboxRows = number(row, 'offers') + 1
  while (
    !putInboxRow(connection, runKey, { inboxId: `grant:${slot}:${attempt}:${inboxRows}`, kind: 'grant', body }, now)
  )
    inboxRows++
  return inboxRows
}

/**
 * The pool shrank below what they want: they ask once more and are refused finally, instead of waiting for ever
 * (RES-06). A run that has not read its last inbox row gets no other.
 */
function writeToRefused(turn: Turn, pool: string): void {
  const { connection } = turn
  for (const { place } of connection.sql(TOO_LARGE).all(pool)) {
    const [row = {}] = connection.sql(ROWS).all(place ?? null)
    const prefix = `grant:${text(row, 'slot')}:${number(row, 'attempt')}:`
    if (connection.sql(UNREAD).get(number(row, 'run_key'), prefix) === undefined) writeTo(turn, row)
  }
}

export function wantsOf(rows: readonly Columns[]): Readonly<Record<string, number>> {
  return Object.fromEntries(rows.map((row) => [text(row, 'pool'), number(row, 'amount')]))
}

/** Takes back expired offers and checks every pool with waiters. */
export function sweep(turn: Turn): number {
  const { connection, now, stirred } = turn
  for (const row of connection.sql(WAITED_FOR).all()) {
    connection.sql(RUN_OUT).run(text(row, 'pool'), now)
    writeToRefused(turn, text(row, 'pool'))
    stirred.add(text(row, 'pool'))
  }
  return offerStirred(turn)
}
