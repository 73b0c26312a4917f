/**
 * The SQLite store: the embedded default, one file, many processes. Transactions run on the calling thread; each is short and
 * awaits nothing. Only large batches of commits, one after another, are left to another thread.
 */
import { resolve } from 'node:path'
import type { Clock } from '../../../ports/clock.ts'
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
import { backup } from './backup.ts'
import { besideBatches } from './beside-batches.ts'
import { getBlob, putBlob } from './blobs.ts'
import { claimAttempt, readClaims } from './claims.ts'
import { CommitThread } from './commit-thread.ts'
import { connect, type Connection } from './connect.ts'
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
import { listPools, putPool, readGrants, readPool, sweepGrants } from './grants.ts'
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
import { listRuns } from './list.ts'
import { MANIFEST } from './manifest.ts'
import { readMoves } from './moves.ts'
import { appendOpen } from './open-append.ts'
import { lastScopePause, putScopePause, readScopePauses } from './pauses.ts'
import { planNamesOf } from './plan-names.ts'
import { plansOf } from './plans.ts'
import { liftQuarantine, quarantine } from './quarantine.ts'
import { findRun, findRunByEngineRef, findRunByRequest, getRun, readEvents } from './read.ts'
import { getCheckpoint, putCheckpoint } from './checkpoints.ts'

export interface SqliteStoreOptions {
  readonly path: string
  readonly clock: Clock
  /** `if-needed`: read-only where the file or its folder cannot be written. */
  readonly readOnly?: boolean | 'if-needed'
  /** How long a call waits for a lock held elsewhere before STORE_LOCKED; 5 s by default. */
  readonly lockMs?: number
  /** Large batches are written by a thread of their own. It reads the machine's clock: not for a clock that is set. */
  readonly commitThread?: boolean
}

export interface SqliteStore extends RunStore {
  /** An online copy at a path where no file exists yet (BACKUP_EXISTS); on the disk when it resolves. */
  backup(toPath: string): Promise<void>
}

const EXTENSION = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
const RENEWER = new URL(`./renew-leases.${EXTENSION}`, import.meta.url).href

/** The thread keeps the pages that are written. */
const SMALL_CACHE = 'PRAGMA cache_size = -4000; PRAGMA shrink_memory'

export async function openSqliteStore(options: SqliteStoreOptions): Promise<SqliteStore> {
  const connection = await connect(options)
  const leaseRenewal = { module: RENEWER, settings: { path: resolve(options.path) } }
  const hasThread = options.commitThread === true && !connection.readOnly
  const store = hasThread ? threadedStore(connection, options) : storeOn(connection, options.clock)
  return { ...store, leaseRenewal }
}

function threadedStore(connection: Connection, { path, clock }: SqliteStoreOptions): SqliteStore {
  const shrink = (): void => connection.db.exec(SMALL_CACHE)
  const thread = new CommitThread(resolve(path), shrink)
  const store = storeOn({ ...connection, write: (work) => thread.beside(() => connection.write(work)) }, clock)
  return {
    ...store,
    commitsAtOnce: 2,
    auditsAtOnce: 4,
    commit: (batch) => (thread.takes(batch) ? thread.write(batch) : store.commit(batch)),
    appendAudit: besideBatches(thread, store),
    close: async () => {
      await thread.close()
      await store.close()
    },
  }
}

export function storeOn(connection: Connection, clock: Clock): SqliteStore {
  return {
    manifest: MANIFEST,
    commit: (batch) => commit(connection, batch, clock),
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
    readInbox: (runKey) => readInbox(connection, runKey),
    findInbox: (runKey, inboxId) => findInbox(connection, runKey, inboxId),
    putBlob: (runKey, sha256, text) => connection.write(() => putBlob(connection, runKey, sha256, text)),
    getBlob: (runKey, sha256) => getBlob(connection, runKey, sha256),
    ...plansOf(connection),
    ...planNamesOf(connection),
    putCheckpoint: (runKey, snapshot) => putCheckpoint(connection, runKey, snapshot),
    getCheckpoint: (runKey, kind, maxSeq) => getCheckpoint(connection, runKey, kind, maxSeq),
    ...leasesOn(connection),
    claimAttempt: (runKey, claim) => claimAttempt(connection, runKey, claim),
    readClaims: (runKey) => readClaims(connection, runKey),
    putScopePause: (pause) => putScopePause(connection, pause),
    readScopePauses: (tenantId) => readScopePauses(connection, tenantId),
    lastScopePause: (tenantId, scope) => lastScopePause(connection, tenantId, scope),
    putPool: (definition, options) => putPool(connection, definition, options),
    listPools: (pools) => listPools(connection, clock, pools),
    readPool: (pool, limit) => readPool(connection, pool, limit),
    readGrants: (runKey) => readGrants(connection, runKey, clock),
    // A reader has nothing to sweep.
    sweepGrants: async () => (connection.readOnly ? 0 : sweepGrants(connection, clock)),
    sendEvent: (event) => sendEvent(connection, event, clock),
    readEventWaits: (runKey) => readEventWaits(connection, runKey),
    // A reader has nothing to purge.
    purgeEvents: async (limit) => (connection.readOnly ? 0 : purgeEvents(connection, limit, clock)),
    readMoves: (after, limit) => readMoves(connection, after, limit),
    readFeed: (subscriber, page) => readFeed(connection, subscriber, page),
    settleFeed: (subscriber, settled) => settleFeed(connection, subscriber, settled, clock),
    feedStatus: (subscriber) => feedStatus(connection, subscriber),
    readDeadLetters: (subscriber, limit, asked) => readDeadLetters(connection, subscriber, limit, asked),
    askRedelivery: (subscriber, runKey, runSeq, askedAt) =>
      askRedelivery(connection, subscriber, { runKey, runSeq, ...(askedAt === undefined ? {} : { askedAt }) }),
    listSubscribers: () => listSubscribers(connection),
    dropDeadLetter: (subscriber, runKey, runSeq) => dropDeadLetter(connection, subscriber, runKey, runSeq),
    subscribersBehind: (runKey) => subscribersBehind(connection, runKey),
    dropSubscriber: (subscriber) => dropSubscriber(connection, subscriber),
    archivableRuns: (endedBefore, limit) => archivableRuns(connection, endedBefore, limit),
    archiveRun: (runKey, ticket, place) => archiveRun(connection, runKey, ticket, place, clock),
    raiseEpochs: () => raiseEpochs(connection),
    ...besideRuns(connection, clock),
    backup: (toPath) => backup(connection, toPath),
    close: async () => connection.close(),
  }
}

/** What verification reads, and what a server keeps. */
function besideRuns(connection: Connection, clock: Clock): EvidenceStore & ServerStore {
  return {
    ...evidenceOf(connection),
    ...admissionOf(connection),
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

type Leases = Pick<
  RunStore,
  'acquireLease' | 'releaseLease' | 'noteDoing' | 'dueRuns' | 'leasedRuns' | 'endedWithInboxRows' | 'stalledRuns'
>

function leasesOn(connection: Connection): Leases {
  return {
    acquireLease: (runKey, owner, now, until, gone) => acquireLease(connection, runKey, owner, now, until, gone),
    releaseLease: (runKey, owner) => releaseLease(connection, runKey, owner),
    noteDoing: (runKey, owner, doing) => noteDoing(connection, runKey, owner, doing),
    dueRuns: (now, owner, limit) => dueRuns(connection, now, owner, limit),
    leasedRuns: (now, limit) => leasedRuns(connection, now, limit),
    endedWithInboxRows: (until, limit) => endedWithInboxRows(connection, until, limit),
    stalledRuns: (engineType, { now, forMs }, limit) => stalledRuns(connection, engineType, now - forMs, limit),
  }
}
