/** Work for remote workers, and who asks for it. */
import type {
  EndedClaim,
  ListedWork,
  StoredWork,
  StoredWorker,
  WorkRef,
  WorkState,
  WorkStore,
} from '../../../ports/work.ts'
import { number, text, type Columns } from './run-row.ts'
import { requireTenant } from './scope.ts'
import type { Session } from './session.ts'

const REF = 'run_key = $1 AND slot = $2 AND attempt = $3'
const INSERT = `INSERT INTO keelson.work (run_key, slot, attempt, revision, tenant_id, state, queue, handler, irreversible,
    secrets, engine_attempt, offered_at, touched_at, claims, claim_sha256, claim_worker, claimed_at, claimed_until,
    claim_lease_ms, body, report)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21)
  ON CONFLICT DO NOTHING RETURNING 1`
/** What was offered stays as it is; only what became of it changes. */
const UPDATE = `UPDATE keelson.work SET revision = $4::bigint, state = $5, engine_attempt = $6, touched_at = $7, claims = $8,
    claim_sha256 = $9, claim_worker = $10, claimed_at = $11, claimed_until = $12, claim_lease_ms = $13, report = $14
  WHERE ${REF} AND revision = $4::bigint - 1 RETURNING 1`
const FIND = `SELECT * FROM keelson.work WHERE ${REF}`
const FIND_CLAIM = 'SELECT * FROM keelson.work WHERE tenant_id = $1 AND claim_sha256 = $2'
const FIND_ENDED = 'SELECT * FROM keelson.ended_claims WHERE tenant_id = $1 AND claim_sha256 = $2'
const REPORT_ENDED = `UPDATE keelson.ended_claims SET report = $3
  WHERE tenant_id = $1 AND claim_sha256 = $2 AND report IS NULL RETURNING 1`
const MOVED = `SELECT w.* FROM keelson.work w
  JOIN unnest($1::bigint[], $2::text[], $3::bigint[], $4::bigint[]) AS s (run_key, slot, attempt, revision)
    ON w.run_key = s.run_key AND w.slot = s.slot AND w.attempt = s.attempt AND w.revision <> s.revision`
const OPEN = `SELECT * FROM keelson.work WHERE tenant_id = $1 AND queue = ANY ($2::text[]) AND handler = ANY ($3::text[])
    AND ($4 OR NOT secrets) AND state IN ('offered', 'claimed')
    AND (state = 'offered' OR (NOT irreversible AND claimed_until <= $5))
  ORDER BY offered_at, run_key, slot, attempt LIMIT $6`
const LIST = `SELECT r.run_id, w.* FROM keelson.work w JOIN keelson.runs r ON r.run_key = w.run_key
  WHERE w.tenant_id = $1 AND w.state IN ('offered', 'claimed')
  ORDER BY w.offered_at, w.run_key, w.slot, w.attempt LIMIT $2`
const UNTOUCHED = `SELECT * FROM keelson.work WHERE touched_at < $1 ORDER BY touched_at, run_key, slot, attempt LIMIT $2`
const DELETE = `DELETE FROM keelson.work WHERE ${REF}`

const NOTE = `INSERT INTO keelson.workers AS w (tenant_id, worker, actor_id, asked_at, body) VALUES ($1, $2, $3, $4, $5)
  ON CONFLICT (tenant_id, worker, actor_id) DO UPDATE SET asked_at = excluded.asked_at, body = excluded.body
  WHERE w.asked_at <= excluded.asked_at`
const WORKERS = `SELECT * FROM keelson.workers WHERE tenant_id = $1 ORDER BY asked_at DESC, worker, actor_id LIMIT $2`
const DROP = 'DELETE FROM keelson.workers WHERE asked_at < $1'

export function workOf(session: Session): WorkStore {
  const rows = (sql: string, ...values: readonly unknown[]): Promise<readonly Columns[]> => session.query(sql, values)
  return {
    putWork: async (work) => {
      requireTenant(work.tenantId)
      const changed = await (work.revision === 1 ? rows(INSERT, ...inserted(work)) : rows(UPDATE, ...updated(work)))
      return changed.length > 0
    },
    findWork: async (ref) => (await rows(FIND, ...refOf(ref))).map(workRow)[0],
    findClaim: async (tenantId, sha256) => (await rows(FIND_CLAIM, requireTenant(tenantId), sha256)).map(workRow)[0],
    findEndedClaim: async (tenantId, sha256) =>
      (await rows(FIND_ENDED, requireTenant(tenantId), sha256)).map(endedClaim)[0],
    reportEndedClaim: async (tenantId, sha256, report) =>
      (await rows(REPORT_ENDED, requireTenant(tenantId), sha256, report)).length > 0,
    movedWork: async (seen) => {
      const column = (name: keyof (typeof seen)[number]): readonly unknown[] => seen.map((one) => one[name])
      return (await rows(MOVED, column('runKey'), column('slot'), column('attempt'), column('revision'))).map(workRow)
    },
    openWork: async (tenantId, { queues, handlers, secrets, now }, limit) =>
      (await rows(OPEN, requireTenant(tenantId), queues, handlers, secrets, now, limit)).map(workRow),
    listWork: async (tenantId, limit) => (await rows(LIST, requireTenant(tenantId), limit)).map(listedWork),
    untouchedWork: async (before, limit) => (await rows(UNTOUCHED, before, limit)).map(workRow),
    deleteWork: async (ref) => void (await rows(DELETE, ...refOf(ref))),
    noteWorker: async ({ tenantId, worker, actorId, askedAt, body }) =>
      void (await rows(NOTE, requireTenant(tenantId), worker, actorId, askedAt, body)),
    listWorkers: async (tenantId, limit) => (await rows(WORKERS, requireTenant(tenantId), limit)).map(workerRow),
    dropWorkers: async (askedBefore) => void (await rows(DROP, askedBefore)),
  }
}

function refOf({ runKey, slot, attempt }: WorkRef): readonly [number, string, number] {
  return [runKey, slot, attempt]
}

function claimColumns({ claim }: StoredWork): readonly unknown[] {
  return [claim?.sha256, claim?.worker, claim?.at, claim?.until, claim?.leaseMs].map((value) => value ?? null)
}

function inserted(work: StoredWork): readonly unknown[] {
  const { tenantId, state, queue, handler, irreversible, secrets, engineAttempt, offeredAt, touchedAt, claims } = work
  const what = [tenantId, state, queue, handler, irreversible, secrets, engineAttempt, offeredAt, touchedAt, claims]
  return [...refOf(work), work.revision, ...what, ...claimColumns(work), work.body, work.report ?? null]
}

function updated(work: StoredWork): readonly unknown[] {
  const { revision, state, engineAttempt, touchedAt, claims, report = null } = work
  return [...refOf(work), revision, state, engineAttempt, touchedAt, claims, ...claimColumns(work), report]
}

function workRow(row: Columns): StoredWork {
  const report = text(row, 'report')
  return {
    runKey: number(row, 'run_key'),
    slot: text(row, 'slot'),
    attempt: number(row, 'attempt'),
    tenantId: text(row, 'tenant_id'),
    revision: number(row, 'revision'),
    state: text(row, 'state') as WorkState,
    queue: text(row, 'queue'),
    handler: text(row, 'handler'),
    irreversible: row['irreversible'] === true,
    secrets: row['secrets'] === true,
    engineAttempt: number(row, 'engine_attempt'),
    offeredAt: number(row, 'offered_at'),
    touchedAt: number(row, 'touched_at'),
    claims: number(row, 'claims'),
    ...claimOf(row),
    body: text(row, 'body'),
    ...(report === '' ? {} : { report }),
  }
}

function listedWork(row: Columns): ListedWork {
  const { slot, attempt, queue, handler, offeredAt, claims, state, claim } = workRow(row)
  const told = { runId: text(row, 'run_id'), slot, attempt, queue, handler, offeredAt, claims }
  if (state !== 'claimed' || claim === undefined) return told
  const { worker, at, until } = claim
  return { ...told, claim: { worker, at, until } }
}

function claimOf(row: Columns): Pick<StoredWork, 'claim'> {
  const sha256 = text(row, 'claim_sha256')
  if (sha256 === '') return {}
  const [at, until] = [number(row, 'claimed_at'), number(row, 'claimed_until')]
  return { claim: { sha256, worker: text(row, 'claim_worker'), at, until, leaseMs: number(row, 'claim_lease_ms') } }
}

function endedClaim(row: Columns): EndedClaim {
  const report = text(row, 'report')
  return {
    runKey: number(row, 'run_key'),
    slot: text(row, 'slot'),
    attempt: number(row, 'attempt'),
    engineAttempt: number(row, 'engine_attempt'),
    at: number(row, 'claimed_at'),
    ...(report === '' ? {} : { report }),
  }
}

function workerRow(row: Columns): StoredWorker {
  return {
    tenantId: text(row, 'tenant_id'),
    worker: text(row, 'worker'),
    actorId: text(row, 'actor_id'),
    askedAt: number(row, 'asked_at'),
    body: text(row, 'body'),
  }
}
