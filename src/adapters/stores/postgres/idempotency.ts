/**
 * Requests with an idempotency key (IDC-06): one row per tenant, route and key, and one owner for it at a time. The insert itself decides
 * who that is: all others wait for its row and then find it taken.
 */
import type {
  IdempotencyStore,
  RequestAnswer,
  RequestRef,
  RequestTake,
  RequestTaken,
  SessionStore,
} from '../../../ports/idempotency.ts'
import { bytes, number, text, type Columns } from './run-row.ts'
import { requireTenant } from './scope.ts'
import type { Session } from './session.ts'

const ROW = 'tenant_id = $1 AND route = $2 AND request_key = $3'
const HELD = `${ROW} AND owner = $4 AND answered_at IS NULL`
const FIND = `SELECT * FROM keelson.api_requests WHERE ${ROW}`
/** What an earlier owner noted stays, unless that was answered long ago. */
const TAKE = `INSERT INTO keelson.api_requests AS r (tenant_id, route, request_key, body_sha256, owner, owned_until)
  VALUES ($1, $2, $3, $4, $5, $6)
  ON CONFLICT (tenant_id, route, request_key) DO UPDATE SET body_sha256 = excluded.body_sha256, owner = excluded.owner,
    owned_until = excluded.owned_until, execution_id = CASE WHEN r.answered_at IS NULL THEN r.execution_id END,
    answered_at = NULL, answer = NULL
  WHERE CASE WHEN r.answered_at IS NULL THEN r.owned_until <= $7::bigint AND r.body_sha256 = excluded.body_sha256
    ELSE $7::bigint - r.answered_at > $8::bigint END
  RETURNING execution_id`
const KEEP = `UPDATE keelson.api_requests SET owned_until = $5 WHERE ${HELD} RETURNING 1`
const NOTE = `UPDATE keelson.api_requests SET execution_id = $5 WHERE ${HELD} RETURNING 1`
const ANSWER = `UPDATE keelson.api_requests SET answered_at = $5, answer = $6 WHERE ${HELD} RETURNING 1`
const DROP = `DELETE FROM keelson.api_requests WHERE ${HELD} RETURNING 1`
/** In flight there are few. */
const SWEEP = `WITH swept AS (DELETE FROM keelson.api_requests q WHERE answered_at < $1 OR (answered_at IS NULL AND owned_until < $1
    AND NOT EXISTS (SELECT 1 FROM keelson.runs r WHERE r.tenant_id = q.tenant_id AND r.run_id = q.execution_id
      AND (r.status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED') OR r.updated_at >= $1))) RETURNING 1)
  SELECT count(*) AS swept FROM swept`
const NO_BODY = new Uint8Array(32)
const END_SESSION = `INSERT INTO keelson.api_requests (tenant_id, route, request_key, body_sha256, owner, owned_until, answered_at, answer)
  VALUES ($1, $2, $3, $4, '', 0, $5, 'null') ON CONFLICT DO NOTHING`

export function idempotencyOf(session: Session): IdempotencyStore & SessionStore {
  const changed = async (sql: string, ref: RequestRef, ...values: readonly unknown[]): Promise<boolean> =>
    (await session.query(sql, [...keyOf(ref), ...values])).length > 0
  return {
    takeRequest: (take) => takeRequest(session, take),
    keepRequest: (ref, owner, until) => changed(KEEP, ref, owner, until),
    noteExecution: (ref, owner, executionId) => changed(NOTE, ref, owner, executionId),
    answerRequest: (ref, owner, { status, headers, body }, answeredAt) =>
      changed(ANSWER, ref, owner, answeredAt, JSON.stringify({ status, headers, body })),
    dropRequest: (ref, owner) => changed(DROP, ref, owner),
    sweepRequests: async (before) => {
      const [row = {}] = await session.query(SWEEP, [before])
      return number(row, 'swept')
    },
    endSession: async (tenantId, sessionId, endsAt) => {
      await session.query(END_SESSION, [...sessionKey(tenantId, sessionId), NO_BODY, endsAt])
    },
    isSessionEnded: async (tenantId, sessionId) =>
      (await session.query(FIND, sessionKey(tenantId, sessionId))).length > 0,
  }
}

/** No route is called so. */
const SESSION_ROUTE = 'session'

function sessionKey(tenantId: string, sessionId: string): readonly [string, string, string] {
  return keyOf({ tenantId, route: SESSION_ROUTE, key: sessionId })
}

function keyOf({ tenantId, route, key }: RequestRef): readonly [string, string, string] {
  return [requireTenant(tenantId), route, key]
}

async function takeRequest(session: Session, take: RequestTake): Promise<RequestTaken> {
  const { bodySha256, owner, now, until, ttlMs } = take
  // Between the two statements its owner may drop it: then it is to be had again.
  for (;;) {
    const [taken] = await session.query(TAKE, [...keyOf(take), bodySha256, owner, until, now, ttlMs])
    if (taken !== undefined) return { kind: 'taken', ...executionOf(taken) }
    const [found] = await session.query(FIND, keyOf(take))
    if (found !== undefined) return standingOf(found)
  }
}

function standingOf(row: Columns): RequestTaken {
  const bodySha256 = bytes(row, 'body_sha256')
  if (row['answered_at'] === null) return { kind: 'in-flight', bodySha256, ...executionOf(row) }
  const answer = JSON.parse(text(row, 'answer')) as RequestAnswer
  return { kind: 'answered', bodySha256, answer, answeredAt: number(row, 'answered_at') }
}

function executionOf(row: Columns): { readonly executionId?: string } {
  return row['execution_id'] === null ? {} : { executionId: text(row, 'execution_id') }
}
