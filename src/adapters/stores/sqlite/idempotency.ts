/** Requests with an idempotency key (IDC-06): one row per tenant, route and key, and one owner for it at a time. */
import type {
  IdempotencyStore,
  RequestAnswer,
  RequestRef,
  RequestTake,
  RequestTaken,
  SessionStore,
} from '../../../ports/idempotency.ts'
import type { RunKey } from '../../../ports/run-store.ts'
import type { Connection } from './connect.ts'
import { bytes, number, text } from './run-row.ts'
import { requireTenant } from './scope.ts'

const ROW = 'tenant_id = ? AND route = ? AND request_key = ?'
const HELD = `${ROW} AND owner = ? AND answered_at IS NULL`
const FIND = `SELECT * FROM api_requests WHERE ${ROW}`
/** What an earlier owner noted stays, unless that was answered long ago. */
const TAKE = `INSERT INTO api_requests (tenant_id, route, request_key, body_sha256, owner, owned_until) VALUES (?, ?, ?, ?, ?, ?)
  ON CONFLICT (tenant_id, route, request_key) DO UPDATE SET body_sha256 = excluded.body_sha256, owner = excluded.owner,
    owned_until = excluded.owned_until, execution_id = iif(answered_at IS NULL, execution_id, NULL), answered_at = NULL,
    answer = NULL`
const KEEP = `UPDATE api_requests SET owned_until = ? WHERE ${HELD}`
const NOTE = `UPDATE api_requests SET execution_id = ? WHERE ${HELD}`
const ANSWER = `UPDATE api_requests SET answered_at = ?, answer = ? WHERE ${HELD}`
const DROP = `DELETE FROM api_requests WHERE ${HELD}`
const SWEEP = 'DELETE FROM api_requests WHERE answered_at < ?'
/** In flight there are few. */
const SWEEP_LEFT = `DELETE FROM api_requests WHERE answered_at IS NULL AND owned_until < $before
  AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.tenant_id = api_requests.tenant_id AND r.run_id = api_requests.execution_id
    AND (r.status NOT IN ('COMPLETED', 'FAILED', 'CANCELLED') OR r.updated_at >= $before))`
const NO_BODY = new Uint8Array(32)
const END_SESSION = `INSERT INTO api_requests (tenant_id, route, request_key, body_sha256, owner, owned_until, answered_at, answer)
  VALUES (?, ?, ?, ?, '', 0, ?, 'null') ON CONFLICT DO NOTHING`
const ERASE = `DELETE FROM api_requests WHERE answered_at IS NOT NULL AND (tenant_id, execution_id) =
  (SELECT tenant_id, run_id FROM runs WHERE run_key = ?)`

export function idempotencyOf(connection: Connection): IdempotencyStore & SessionStore {
  const changed = (sql: string, ...values: readonly (string | number | Uint8Array)[]): Promise<boolean> =>
    connection.write(() => Number(connection.sql(sql).run(...values).changes) > 0)
  return {
    takeRequest: async (take) => {
      requireTenant(take.tenantId)
      return connection.write(() => takeRequest(connection, take))
    },
    keepRequest: async (ref, owner, until) => changed(KEEP, until, ...keyOf(ref), owner),
    noteExecution: async (ref, owner, executionId) => changed(NOTE, executionId, ...keyOf(ref), owner),
    answerRequest: async (ref, owner, { status, headers, body }, answeredAt) =>
      changed(ANSWER, answeredAt, JSON.stringify({ status, headers, body }), ...keyOf(ref), owner),
    dropRequest: async (ref, owner) => changed(DROP, ...keyOf(ref), owner),
    sweepRequests: (before) =>
      connection.write(
        () =>
          Number(connection.sql(SWEEP).run(before).changes) +
          Number(connection.sql(SWEEP_LEFT).run({ $before: before }).changes),
      ),
    endSession: async (tenantId, sessionId, endsAt) => {
      await changed(END_SESSION, ...sessionKey(tenantId, sessionId), NO_BODY, endsAt)
    },
    isSessionEnded: async (tenantId, sessionId) => {
      const key = sessionKey(tenantId, sessionId)
      return connection.read(() => connection.sql(FIND).get(...key) !== undefined)
    },
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

function takeRequest(connection: Connection, take: RequestTake): RequestTaken {
  const { bodySha256, owner, now, until, ttlMs } = take
  const found = connection.sql(FIND).get(...keyOf(take))
  const isAnswered = found !== undefined && found['answered_at'] !== null
  if (isAnswered && now - number(found, 'answered_at') <= ttlMs)
    return {
      kind: 'answered',
      bodySha256: bytes(found, 'body_sha256'),
      answer: JSON.parse(text(found, 'answer')) as RequestAnswer,
      answeredAt: number(found, 'answered_at'),
    }
  const left = isAnswered ? undefined : found
  const executionId = text(left ?? {}, 'execution_id')
  const execution = executionId === '' ? {} : { executionId }
  if (left !== undefined) {
    const known = bytes(left, 'body_sha256')
    if (number(left, 'owned_until') > now || Buffer.compare(known, bodySha256) !== 0)
      return { kind: 'in-flight', bodySha256: known, ...execution }
  }
  connection.sql(TAKE).run(...keyOf(take), bodySha256, owner, until)
  return { kind: 'taken', ...execution }
}

/** An answer may hold the output of its run. One that is in flight holds nothing of it yet. */
export function eraseAnswers(connection: Connection, runKey: RunKey): void {
  connection.sql(ERASE).run(runKey)
}
