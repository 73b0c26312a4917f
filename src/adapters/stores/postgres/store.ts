/**
 * The PostgreSQL store: for servers, many processes on one database. It stamps with the server's clock (P-25), so that
 * processes whose own clocks differ agree. Import it from `keelson/stores/postgres`; it needs the package `pg`.
 */
import type { Clock } from '../../../ports/clock.ts'
import type { RunStore } from '../../../ports/run-store.ts'
import { commit } from './append.ts'
import { archivableRuns, archiveRun, raiseEpochs } from './archive.ts'
import { getBlob, putBlob } from './blobs.ts'
import { claimAttempt, readClaims } from './claims.ts'
import { connect, type Connection } from './connect.ts'
import { readContext } from './context.ts'
import { countRuns } from './counts.ts'
import { eraseData } from './erase.ts'
import {
  dropDeadLetter,
  dropSubscriber,
  feedStatus,
  readDeadLetters,
  readFeed,
  settleFeed,
  subscribersBehind,
} from './feed.ts'
import { sweepGrants } from './grant-queue.ts'
import { listPools, putPool, readGrants } from './grants.ts'
import { findInbox, insertInbox, readInbox } from './inbox.ts'
import { acquireLease, dueRuns, endedWithLetters, releaseLease, stalledRuns } from './leases.ts'
import { listRuns } from './list.ts'
import { MANIFEST } from './manifest.ts'
import { appendOpen } from './open-append.ts'
import { putScopePause, readScopePauses } from './pauses.ts'
import { findPlan, getPlan, putPlan } from './plans.ts'
import { quarantine } from './quarantine.ts'
import { findRun, findRunByEngineRef, findRunByRequest, getRun, readEvents } from './read.ts'
import { number } from './run-row.ts'
import { getSnapshot, putSnapshot } from './snapshots.ts'
import { turnReads } from './turn-reads.ts'

export interface PostgresStoreOptions {
  readonly connectionString: string
  /** Connections of this process; 4 by default. */
  readonly poolSize?: number
  /** Refuses a database that no Keelson has used yet, instead of making its tables there. */
  readonly mustExist?: boolean
  /** For tests only: stamps with this clock instead of the server's. */
  readonly clock?: Clock
  /** The clock that callers' instants are in, when it is not the machine's: of a lease only its length is taken. */
  readonly callerClock?: Clock
  /** Since when a transaction of others must hold the feed up to be named; 5 seconds by default. */
  readonly feedStallMs?: number
  /** Opens a store on a server that can lose acknowledged writes, with a warning, instead of refusing it. */
  readonly waiveDurability?: boolean
}

export interface PostgresStore extends RunStore {
  /** The store's own time, epoch milliseconds. */
  now(): Promise<number>
  /** Called when there may be something to do in some run; may be late or not come at all (P-22). Returns the way out. */
  onWake(listener: () => void): () => void
}

const NOW = 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now'

/**
 * @example
 * const store = await openPostgresStore({ connectionString: 'postgres://keelson@db.internal/keelson' })
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  return storeOn(await connect(options), options)
}

const FEED_STALL_MS = 5_000
const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
const RENEWER = new URL(`./renew-leases.${EXTENSION}`, import.meta.url).href

function storeOn(connection: Connection, options: PostgresStoreOptions): PostgresStore {
  const { clock, callerClock, connectionString, feedStallMs: stallMs = FEED_STALL_MS } = options
  const turns = turnReads(connection)
  return {
    manifest: { ...MANIFEST, durable: connection.durable },
    leaseRenewal: { module: RENEWER, settings: { connectionString } },
    now: async () => clock?.now() ?? number((await connection.query(NOW))[0] ?? {}, 'now'),
    onWake: (listener) => connection.onWake(listener),
    commit: (batch) => commit(connection, batch, clock, callerClock),
    appendOpen: (run, writes, seal) => appendOpen(connection, run, writes, seal, clock),
    findRun: (run) => findRun(connection, run),
    findRunByRequest: (tenantId, requestKey) => findRunByRequest(connection, tenantId, requestKey),
    findRunByEngineRef: (tenantId, engineRunRef) => findRunByEngineRef(connection, tenantId, engineRunRef),
    getRun: (runKey) => getRun(connection, runKey),
    listRuns: (tenantId, filter, page) => listRuns(connection, tenantId, filter, page),
    countRuns: (tenantId) => countRuns(connection, tenantId),
    quarantine: (runKey, code) => quarantine(connection, runKey, code),
    readEvents: (runKey, range) => readEvents(connection, runKey, range),
    eraseData: (runKey, upToSeq) => eraseData(connection, runKey, upToSeq),
    readContext: (runKey, atSeq) => readContext(connection, runKey, atSeq),
    insertInbox: (run, row) => insertInbox(connection, run, row, clock),
    readInbox: (runKey) => readInbox(turns, runKey),
    findInbox: (runKey, inboxId) => findInbox(connection, runKey, inboxId),
    putBlob: (runKey, sha256, text) => putBlob(connection, runKey, sha256, text),
    getBlob: (runKey, sha256) => getBlob(connection, runKey, sha256),
    putPlan: (plan) => putPlan(connection, plan),
    getPlan: (sha256) => getPlan(connection, sha256),
    findPlan: (planId, planVersion) => findPlan(connection, planId, planVersion),
    putSnapshot: (runKey, snapshot) => putSnapshot(connection, runKey, snapshot),
    getSnapshot: (runKey, kind, maxSeq) => getSnapshot(connection, runKey, kind, maxSeq),
    acquireLease: (runKey, owner, now, until, gone) =>
      acquireLease(connection, { runKey, owner, now, until, gone }, clock),
    releaseLease: (runKey, owner) => releaseLease(connection, runKey, owner),
    dueRuns: (now, owner, limit) => dueRuns(connection, now, owner, limit, clock),
    endedWithLetters: (until, limit) => endedWithLetters(connection, until, limit),
    stalledRuns: (engineType, at, limit) => stalledRuns(connection, engineType, at, limit, clock),
    claimAttempt: (runKey, claim) => claimAttempt(connection, runKey, claim),
    readClaims: (runKey) => readClaims(connection, runKey),
    putScopePause: (pause) => putScopePause(connection, pause),
    readScopePauses: (tenantId) => readScopePauses(turns, tenantId),
    putPool: (definition, put) => putPool(connection, definition, put),
    listPools: () => listPools(connection, clock),
    readGrants: (runKey) => readGrants(connection, runKey, clock),
    sweepGrants: () => sweepGrants(connection, clock),
    readFeed: (subscriber, page) => readFeed(connection, subscriber, page),
    settleFeed: (subscriber, settled) => settleFeed(connection, subscriber, settled, clock),
    feedStatus: (subscriber) => feedStatus(connection, subscriber, stallMs),
    readDeadLetters: (subscriber, limit) => readDeadLetters(connection, subscriber, limit),
    dropDeadLetter: (subscriber, runKey, runSeq) => dropDeadLetter(connection, subscriber, runKey, runSeq),
    subscribersBehind: (runKey) => subscribersBehind(connection, runKey),
    dropSubscriber: (subscriber) => dropSubscriber(connection, subscriber),
    archivableRuns: (endedBefore, limit) => archivableRuns(connection, endedBefore, limit),
    archiveRun: (runKey, ticket, place) => archiveRun(connection, runKey, ticket, place, clock),
    raiseEpochs: () => raiseEpochs(connection),
    close: () => connection.close(),
  }
}
