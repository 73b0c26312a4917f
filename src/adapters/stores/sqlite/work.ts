/** Work for remote workers, and who asks for it. */
import type { RunKey } from '../../../ports/run-store.ts'
import type {
  EndedClaim,
  ListedWork,
  StoredWork,
  StoredWorker,
  WorkRef,
  WorkState,
  WorkStore,
} from '../../../ports/work.ts'
import type { Connection } from './connect.ts'
import { number, text, type Columns } from './run-row.ts'
import { requireTenant } from './scope.ts'

const INSERT = `INSERT INTO work (run_key, slot, attempt, revision, tenant_id, state, queue, handler, irreversible, secrets,
    engine_attempt, offered_at, touched_at, claims, claim_sha256, claim_worker, claimed_at, claimed_until,
    claim_lease_ms, body, report)
  VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21)
  ON CONFLICT DO NOTHING`
const REF = 'run_key = ?1 AND slot = ?2 AND attempt = ?3'
/** What was offered stays as it is; only what became of it changes. */
const UPDATE = `UPDATE work SET revision = ?4, state = ?5, engine_attempt = ?6, touched_at = ?7, claims = ?8,
    claim_sha256 = ?9, claim_worker = ?10, claimed_at = ?11, claimed_until = ?12, claim_lease_ms = ?13, report = ?14
  WHERE ${REF} AND revision = ?4 - 1`
const FIND = `SELECT * FROM work WHERE ${REF}`
const FIND_CLAIM = 'SELECT * FROM work WHERE tenant_id = ? AND claim_sha256 = ?'
const FIND_ENDED = 'SELECT * FROM ended_claims WHERE tenant_id = ? AND claim_sha256 = ?'
const REPORT_ENDED = 'UPDATE ended_claims SET report = ?3 WHERE tenant_id = ?1 AND claim_sha256 = ?2 AND report IS NULL'
const MOVED = `SELECT * FROM work WHERE ${REF} AND revision <> ?4`
const OPEN = `SELECT * FROM work WHERE tenant_id = ?1 AND queue IN (SELECT value FROM json_each(?2))
    AND handler IN (SELECT value FROM json_each(?3)) AND (secrets = 0 OR ?4 = 1)
    AND state IN ('offered', 'claimed') AND (state = 'offered' OR (irreversible = 0 AND claimed_until <= ?5))
  ORDER BY offered_at, run_key, slot, attempt LIMIT ?6`
const LIST = `SELECT r.run_id, w.* FROM work w JOIN runs r ON r.run_key = w.run_key
  WHERE w.tenant_id = ? AND w.state IN ('offered', 'claimed')
  ORDER BY w.offered_at, w.run_key, w.slot, w.attempt LIMIT ?`
const UNTOUCHED = 'SELECT * FROM work WHERE touched_at < ? ORDER BY touched_at, run_key, slot, attempt LIMIT ?'
const DELETE = `DELETE FROM work WHERE ${REF}`
const FORGET = 'DELETE FROM work WHERE run_key = ?'

const NOTE = `INSERT INTO workers (tenant_id, worker, actor_id, asked_at, body) VALUES (?, ?, ?, ?, ?)
  ON CONFLICT (tenant_id, worker, actor_id) DO UPDATE SET asked_at = excluded.asked_at, body = excluded.body
  WHERE workers.asked_at <= excluded.asked_at`
const WORKERS = 'SELECT * FROM workers WHERE tenant_id = ? ORDER BY asked_at DESC, worker, actor_id LIMIT ?'
const DROP = 'DELETE FROM workers WHERE asked_at < ?'

type Value = string | number | null

export function workOf(connection: Connection): WorkStore {
  const run = (sql: string, ...values: readonly Value[]): boolean =>
    Number(connection.sql(sql).run(...values).changes) > 0
  const rows = async (sql: string, ...values: readonly Value[]): Promise<readonly Columns[]> =>
    connection.read(() => connection.sql(sql).all(...values))
  return {
    putWork: async (work) => {
      requireTenant(work.tenantId)
      return connection.write(() =>
        work.revision === 1 ? run(INSERT, ...inserted(work)) : run(UPDATE, ...updated(work)),
      )
    },
    findWork: async (ref) => (await rows(FIND, ...refOf(ref))).map(workRow)[0],
    findClaim: async (tenantId, sha256) => (await rows(FIND_CLAIM, requireTenant(tenantId), sha256)).map(workRow)[0],
    findEndedClaim: async (tenantId, sha256) =>
      (await rows(FIND_ENDED, requireTenant(tenantId), sha256)).map(endedClaim)[0],
    reportEndedClaim: async (tenantId, sha256, report) =>
      connection.write(() => run(REPORT_ENDED, requireTenant(tenantId), sha256, report)),
    movedWork: async (seen) =>
      connection.read(() =>
        seen.flatMap((one) =>
          connection
            .sql(MOVED)
            .all(...refOf(one), one.revision)
            .map(workRow),
        ),
      ),
    openWork: async (tenantId, { queues, handlers, secrets, now }, limit) => {
      const names = [JSON.stringify(queues), JSON.stringify(handlers)]
      return (await rows(OPEN, requireTenant(tenantId), ...names, secrets ? 1 : 0, now, limit)).map(workRow)
    },
    listWork: async (tenantId, limit) => (await rows(LIST, requireTenant(tenantId), limit)).map(listedWork),
    untouchedWork: async (before, limit) => (await rows(UNTOUCHED, before, limit)).map(workRow),
    deleteWork: async (ref) => void (await connection.write(() => run(DELETE, ...refOf(ref)))),
    noteWorker: async ({ tenantId, worker, actorId, askedAt, body }) => {
      requireTenant(tenantId)
      await connection.write(() => run(NOTE, tenantId, worker, actorId, askedAt, body))
    },
    listWorkers: async (tenantId, limit) => (await rows(WORKERS, requireTenant(tenantId), limit)).map(workerRow),
    dropWorkers: async (askedBefore) => void (await connection.write(() => run(DROP, askedBefore))),
  }
}

function refOf({ runKey, slot, attempt }: WorkRef): readonly [number, string, number] {
  return [runKey, slot, attempt]
}

function claimColumns({ claim }: StoredWork): readonly Value[] {
  return [claim?.sha256, claim?.worker, claim?.at, claim?.until, claim?.leaseMs].map((value) => value ?? null)
}

function inserted(work: StoredWork): readonly Value[] {
  const { tenantId, state, queue, handler, engineAttempt, offeredAt, touchedAt, claims } = work
  const only = [work.irreversible ? 1 : 0, work.secrets ? 1 : 0]
  const what = [tenantId, state, queue, handler, ...only, engineAttempt, offeredAt, touchedAt, claims]
  return [...refOf(work), work.revision, ...what, ...claimColumns(work), work.body, work.report ?? null]
}

function updated(work: StoredWork): readonly Value[] {
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
    irreversible: row['irreversible'] === 1,
    secrets: row['secrets'] === 1,
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

/** Its rows hold what the run was given and what came of it. */
export function forgetWork(connection: Connection, runKey: RunKey): void {
  connection.sql(FORGET).run(runKey)
}
