/**
 * The PostgreSQL store: for servers, with many processes on one database. Its timestamps are from the server's clock
 * (P-25), so that processes with different clocks agree. Import it from `keelson/stores/postgres`; it needs the package
 * `pg`.
 */
import type { Clock } from '../../../ports/clock.ts'
import type { FeedStore } from '../../../ports/feed.ts'
import type { EvidenceStore } from '../../../ports/evidence.ts'
import type { RunStore, ServerStore } from '../../../ports/run-store.ts'
import { admissionOf } from './admission.ts'
import { apiKeysOf } from './api-keys.ts'
import { commit } from './append.ts'
import { archivableRuns, archiveRun, raiseEpochs } from './archive.ts'
import { auditLogOf } from './audit-log.ts'
import { schedulesOf } from './schedules.ts'
import { triggersOf } from './triggers.ts'
import { viewsOf } from './views.ts'
import { fleetOf } from './fleet.ts'
import { workOf } from './work.ts'
import { getBlob, putBlob } from './blobs.ts'
import { claimAttempt, readClaims } from './claims.ts'
import { connect, POOL_SIZE, type Connection } from './connect.ts'
import { readContext } from './context.ts'
import { countRuns } from './counts.ts'
import { decisionsOf } from './decisions.ts'
import { eraseData } from './erase.ts'
import { purgeEvents, readEventWaits, sendEvent } from './events.ts'
import { evidenceOf } from './evidence.ts'
import {
  askRedelivery,
  dropDeadLetter,
  dropSubscriber,
  feedStatus,
  listSubscribers,
  readDeadLetters,
  readFeed,
  settleFeed,
  subscribersBehind,
} from './feed.ts'
import { sweepGrants } from './grant-queue.ts'
import { listPools, putPool, readGrants, readPool } from './grants.ts'
import { idempotencyOf } from './idempotency.ts'
import { findInbox, insertInbox, readInbox } from './inbox.ts'
import {
  acquireLease,
  dueRuns,
  endedWithInboxRows,
  leasedRuns,
  noteDoing,
  releaseLease,
  stalledRuns,
} from './leases.ts'
import { needKnown, type OptionNames } from '../../../core/known-options.ts'
import { COUNT, FLAG, TEXT } from '../../../core/option-kinds.ts'
import { listRuns } from './list.ts'
import { MANIFEST } from './manifest.ts'
import { readMoves } from './moves.ts'
import { appendOpen } from './open-append.ts'
import { lastScopePause, putScopePause, readScopePauses } from './pauses.ts'
import { planNamesOf } from './plan-names.ts'
import { plansOf } from './plans.ts'
import { liftQuarantine, quarantine } from './quarantine.ts'
import { findRun, findRunByEngineRef, findRunByRequest, getRun, readEvents } from './read.ts'
import { initRoles, standing, type RolesAsked, type RolesMade, type Standing } from './roles.ts'
import { number } from './run-row.ts'
import { getCheckpoint, putCheckpoint } from './checkpoints.ts'
import { turnReads } from './turn-reads.ts'

export interface PostgresStoreOptions {
  readonly connectionString: string
  /** Connections of this process; 4 by default. */
  readonly poolSize?: number
  /** Refuses a database that Keelson has not used yet, instead of creating its tables there. */
  readonly mustExist?: boolean
  /** For tests only: timestamps from this clock instead of the server's. */
  readonly clock?: Clock
  /** The clock of callers' instants, when it is not the machine's: only the length of a lease is taken from it. */
  readonly callerClock?: Clock
  /** How long a foreign transaction must delay the feed before it is named; 5 seconds by default. */
  readonly feedStallMs?: number
  /** Opens a store on a server that can lose acknowledged writes with a warning, instead of refusing it. */
  readonly waiveDurability?: boolean
}

const OPTION_NAMES: OptionNames<PostgresStoreOptions> = {
  connectionString: TEXT,
  poolSize: COUNT,
  mustExist: FLAG,
  clock: true,
  callerClock: true,
  feedStallMs: true,
  waiveDurability: true,
}

export type { RolesAsked, RolesMade, Standing } from './roles.ts'

export interface PostgresStore extends RunStore {
  /** The store's own time, epoch milliseconds. */
  now(): Promise<number>
  /**
   * Called when there may be something to do in some run; may be late or lost (P-22). Returns an unsubscribe function.
   */
  onWake(listener: () => void): () => void
  /** The role of the connection, and what else that role could do. */
  standing(): Promise<Standing>
  /** Creates the group roles, grants their rights and adds logins to them; needs the rights of an administrator. */
  initRoles(asked: RolesAsked): Promise<RolesMade>
}

const NOW = 'SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now'

/**
 * @example
 * const store = await openPostgresStore({ connectionString: 'postgres://keelson@db.internal/keelson' })
 */
export async function openPostgresStore(options: PostgresStoreOptions): Promise<PostgresStore> {
  needKnown('openPostgresStore', options, OPTION_NAMES)
  return storeOn(await connect(options), options)
}

const FEED_STALL_MS = 5_000
/** While the server writes one batch, this process makes the next; a third would only make batches smaller. One connection stays for reads. */
const COMMITS_AT_ONCE = 2
const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
const RENEWER = new URL(`./renew-leases.${EXTENSION}`, import.meta.url).href

function storeOn(connection: Connection, options: PostgresStoreOptions): PostgresStore {
  const { clock, callerClock, connectionString, feedStallMs: stallMs = FEED_STALL_MS } = options
  const turns = turnReads(connection)
  return {
    manifest: { ...MANIFEST, durable: connection.durable },
    commitsAtOnce: (options.poolSize ?? POOL_SIZE) > 2 ? COMMITS_AT_ONCE : 1,
    leaseRenewal: { module: RENEWER, settings: { connectionString } },
    now: async () => clock?.now() ?? number((await connection.query(NOW))[0] ?? {}, 'now'),
    onWake: (listener) => connection.onWake(listener),
    standing: () => standing(connection),
    initRoles: (asked) => initRoles(connection, asked),
    commit: (batch) => commit(connection, batch, clock, callerClock),
    appendOpen: (run, writes, seal) => appendOpen(connection, run, writes, seal, clock),
    findRun: (run) => findRun(connection, run),
    findRunByRequest: (tenantId, requestKey) => findRunByRequest(connection, tenantId, requestKey),
    findRunByEngineRef: (tenantId, engineRunRef) => findRunByEngineRef(connection, tenantId, engineRunRef),
    getRun: (runKey) => getRun(connection, runKey),
    listRuns: (tenantId, filter, page) => listRuns(connection, tenantId, filter, page),
    countRuns: (tenantId) => countRuns(connection, tenantId),
    quarantine: (runKey, code) => quarantine(connection, runKey, code),
    liftQuarantine: (runKey, code) => liftQuarantine(connection, runKey, code),
    readEvents: (runKey, range) => readEvents(connection, runKey, range),
    eraseData: (runKey, upToSeq) => eraseData(connection, runKey, upToSeq),
    readContext: (runKey, atSeq) => readContext(connection, runKey, atSeq),
    insertInbox: (run, row) => insertInbox(connection, run, row, clock),
    readInbox: (runKey) => readInbox(turns, runKey),
    findInbox: (runKey, inboxId) => findInbox(connection, runKey, inboxId),
    putBlob: (runKey, sha256, text) => putBlob(connection, runKey, sha256, text),
    getBlob: (runKey, sha256) => getBlob(connection, runKey, sha256),
    ...plansOf(connection),
    ...planNamesOf(connection),
    putCheckpoint: (runKey, snapshot) => putCheckpoint(connection, runKey, snapshot),
    getCheckpoint: (runKey, kind, maxSeq) => getCheckpoint(connection, runKey, kind, maxSeq),
    ...leasesOn(connection, clock),
    claimAttempt: (runKey, claim) => claimAttempt(connection, runKey, claim),
    readClaims: (runKey) => readClaims(connection, runKey),
    putScopePause: (pause) => putScopePause(connection, pause),
    readScopePauses: (tenantId) => readScopePauses(turns, tenantId),
    lastScopePause: (tenantId, scope) => lastScopePause(connection, tenantId, scope),
    putPool: (definition, put) => putPool(connection, definition, put),
    listPools: (pools) => listPools(connection, clock, pools),
    readPool: (pool, limit) => readPool(connection, pool, limit),
    readGrants: (runKey) => readGrants(connection, runKey, clock),
    sweepGrants: () => sweepGrants(connection, clock),
    sendEvent: (event) => sendEvent(connection, event, clock),
    readEventWaits: (runKey) => readEventWaits(connection, runKey),
    purgeEvents: (limit) => purgeEvents(connection, limit, clock),
    ...feedOn(connection, clock, stallMs),
    archivableRuns: (endedBefore, limit) => archivableRuns(connection, endedBefore, limit),
    archiveRun: (runKey, ticket, place) => archiveRun(connection, runKey, ticket, place, clock),
    raiseEpochs: () => raiseEpochs(connection),
    ...besideRuns(connection, clock),
    close: () => connection.close(),
  }
}

/** Subscribers under the names that this role gives them. */
function feedOn(connection: Connection, clock: Clock | undefined, stallMs: number): FeedStore {
  const { feedScope } = connection
  const scoped = (subscriber: string): string => `${feedScope}${subscriber}`
  const unscoped = (name: string): string => (name.startsWith(feedScope) ? name.slice(feedScope.length) : name)
  return {
    readMoves: (after, limit) => readMoves(connection, after, limit),
    readFeed: (subscriber, page) => readFeed(connection, scoped(subscriber), page),
    settleFeed: (subscriber, settled) => settleFeed(connection, scoped(subscriber), settled, clock),
    feedStatus: (subscriber) => feedStatus(connection, scoped(subscriber), stallMs),
    readDeadLetters: (subscriber, limit, asked) => readDeadLetters(connection, scoped(subscriber), limit, asked),
    askRedelivery: (subscriber, runKey, runSeq, askedAt) =>
      askRedelivery(connection, scoped(subscriber), { runKey, runSeq, ...(askedAt === undefined ? {} : { askedAt }) }),
    listSubscribers: async () =>
      (await listSubscribers(connection)).map((one) => ({ ...one, subscriber: unscoped(one.subscriber) })),
    dropDeadLetter: (subscriber, runKey, runSeq) => dropDeadLetter(connection, scoped(subscriber), runKey, runSeq),
    subscribersBehind: async (runKey) => (await subscribersBehind(connection, runKey)).map(unscoped),
    dropSubscriber: (subscriber) => dropSubscriber(connection, scoped(subscriber)),
  }
}

type Leases = Pick<
  RunStore,
  'acquireLease' | 'releaseLease' | 'noteDoing' | 'dueRuns' | 'leasedRuns' | 'endedWithInboxRows' | 'stalledRuns'
>

function leasesOn(connection: Connection, clock: Clock | undefined): Leases {
  return {
    acquireLease: (runKey, owner, now, until, gone) =>
      acquireLease(connection, { runKey, owner, now, until, gone }, clock),
    releaseLease: (runKey, owner) => releaseLease(connection, runKey, owner),
    noteDoing: (runKey, owner, doing) => noteDoing(connection, runKey, owner, doing),
    dueRuns: (now, owner, limit) => dueRuns(connection, now, owner, limit, clock),
    leasedRuns: (now, limit) => leasedRuns(connection, now, limit, clock),
    endedWithInboxRows: (until, limit) => endedWithInboxRows(connection, until, limit),
    stalledRuns: (engineType, at, limit) => stalledRuns(connection, engineType, at, limit, clock),
  }
}

/** What verification reads, and what a server keeps. */
function besideRuns(connection: Connection, clock: Clock | undefined): EvidenceStore & ServerStore {
  return {
    ...evidenceOf(connection),
    ...admissionOf(connection, clock),
    ...apiKeysOf(connection),
    ...idempotencyOf(connection),
    ...decisionsOf(connection, clock),
    ...auditLogOf(connection),
    ...schedulesOf(connection),
    ...triggersOf(connection),
    ...viewsOf(connection),
    ...fleetOf(connection),
    ...workOf(connection),
  }
}
