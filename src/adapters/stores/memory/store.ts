/**
 * The memory store: the reference that other stores are compared with, and the disk of the simulator. It is simple
 * enough to be obviously right; every method is finished when it returns.
 */
import { fail } from '../../../core/problems/problem.ts'
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
import { claimAttempt } from './claims.ts'
import { createMemoryDisk, type MemoryDisk } from './connect.ts'
import { readContext } from './context.ts'
import { countRuns } from './counts.ts'
import { decisionsOf } from './decisions.ts'
import { eraseData } from './erase.ts'
import { purgeEvents, readEventWaits, sendEvent } from './events.ts'
import { evidenceOf } from './evidence.ts'
import {
  askRedelivery,
  dropDeadLetter,
  feedStatus,
  listSubscribers,
  readDeadLetters,
  readFeed,
  settleFeed,
  subscribersBehind,
} from './feed.ts'
import { listPools, putPool, readGrants, readPool, sweepGrants } from './grants.ts'
import { idempotencyOf } from './idempotency.ts'
import { insertInbox, readInbox } from './inbox.ts'
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
import { listPlans, listPlanVersions } from './plan-names.ts'
import { findPlan, findPlanSource, getPlan, putPlan } from './plans.ts'
import { liftQuarantine, quarantine } from './quarantine.ts'
import { findRunByEngineRef, findRunByRequest, liveOf, readEvents, runByRef, runOf } from './read.ts'
import { getCheckpoint, putCheckpoint } from './checkpoints.ts'
import { getBlob, putBlob } from './blobs.ts'

export interface MemoryStoreOptions {
  readonly clock: Clock
  /** The disk of an earlier handle; a new one by default. */
  readonly disk?: MemoryDisk
  /** Sequence numbers to skip after each commit, to prove that no code relies on numbers without gaps (STO-03). */
  readonly burn?: number
}

export function openMemoryStore(options: MemoryStoreOptions): RunStore {
  const { clock, disk: home = createMemoryDisk(), burn = 0 } = options
  let isOpen = true
  const disk = (): MemoryDisk => (isOpen ? home : fail('STORE_CLOSED', 'The memory store was closed.'))
  const settings = () => ({ now: clock.now(), burn })
  return {
    manifest: MANIFEST,
    commit: async (batch) => commit(disk(), batch, settings()),
    appendOpen: async (run, writes, seal) => appendOpen(disk(), run, writes, seal, settings()),
    findRun: async (run) => runByRef(disk(), run)?.row,
    findRunByRequest: async (tenantId, requestKey) => findRunByRequest(disk(), tenantId, requestKey),
    findRunByEngineRef: async (tenantId, engineRunRef) => findRunByEngineRef(disk(), tenantId, engineRunRef),
    getRun: async (runKey) => runOf(disk(), runKey)?.row,
    listRuns: async (tenantId, filter, page) => listRuns(disk(), tenantId, filter, page),
    countRuns: async (tenantId) => countRuns(disk(), tenantId),
    quarantine: async (runKey, code) => quarantine(runOf(disk(), runKey), code),
    liftQuarantine: async (runKey, code) => liftQuarantine(runOf(disk(), runKey), code),
    readEvents: async (runKey, range) => readEvents(disk(), runKey, range),
    eraseData: async (runKey, upToSeq) => eraseData(disk(), runKey, upToSeq),
    readContext: async (runKey, atSeq) => readContext(runOf(disk(), runKey), atSeq),
    insertInbox: async (run, row) => insertInbox(disk(), run, row, clock.now()),
    readInbox: async (runKey) => readInbox(runOf(disk(), runKey)),
    findInbox: async (runKey, inboxId) => runOf(disk(), runKey)?.inbox.get(inboxId)?.row,
    putBlob: async (runKey, sha256, text) => putBlob(liveOf(disk(), runKey), sha256, text),
    getBlob: async (runKey, sha256) => getBlob(runOf(disk(), runKey), sha256),
    putPlan: async (plan, how) => putPlan(disk(), plan, how),
    getPlan: async (tenantId, sha256) => getPlan(disk(), tenantId, sha256),
    findPlan: async (tenantId, planId, planVersion) => findPlan(disk(), tenantId, planId, planVersion),
    listPlans: async (tenantId, after, limit) => listPlans(disk(), tenantId, after, limit),
    listPlanVersions: async (tenantId, planId, limit) => listPlanVersions(disk(), tenantId, planId, limit),
    findPlanSource: async (tenantId, sha256) => findPlanSource(disk(), tenantId, sha256),
    putCheckpoint: async (runKey, snapshot) => putCheckpoint(liveOf(disk(), runKey), snapshot),
    getCheckpoint: async (runKey, kind, maxSeq) => getCheckpoint(runOf(disk(), runKey), kind, maxSeq),
    ...leasesOf(disk),
    claimAttempt: async (runKey, claim) => claimAttempt(liveOf(disk(), runKey), claim),
    readClaims: async (runKey) => [...(runOf(disk(), runKey)?.claims.values() ?? [])],
    putScopePause: async (pause) => putScopePause(disk(), pause),
    readScopePauses: async (tenantId) => readScopePauses(disk(), tenantId),
    lastScopePause: async (tenantId, scope) => lastScopePause(disk(), tenantId, scope),
    putPool: async (definition, how) => putPool(disk(), definition, how),
    listPools: async (pools) => listPools(disk(), clock.now(), pools),
    readPool: async (pool, limit) => readPool(disk(), pool, limit),
    readGrants: async (runKey) => readGrants(disk(), runKey, clock.now()),
    sweepGrants: async () => sweepGrants(disk(), clock.now()),
    sendEvent: async (event) => sendEvent(disk(), event, clock.now()),
    readEventWaits: async (runKey) => readEventWaits(runOf(disk(), runKey)),
    purgeEvents: async (limit) => purgeEvents(disk(), limit, clock.now()),
    ...feedOf(disk, clock),
    archivableRuns: async (endedBefore, limit) => archivableRuns(disk(), endedBefore, limit),
    archiveRun: async (runKey, ticket, place) => archiveRun(disk(), runKey, ticket, place, clock.now()),
    raiseEpochs: async () => raiseEpochs(disk()),
    ...besideRuns(disk, clock),
    close: async () => {
      isOpen = false
    },
  }
}

type Leases = Pick<
  RunStore,
  'acquireLease' | 'releaseLease' | 'noteDoing' | 'dueRuns' | 'leasedRuns' | 'endedWithInboxRows' | 'stalledRuns'
>

function leasesOf(disk: () => MemoryDisk): Leases {
  return {
    acquireLease: async (runKey, owner, now, until, gone) =>
      acquireLease(runOf(disk(), runKey), owner, now, until, gone),
    releaseLease: async (runKey, owner) => releaseLease(runOf(disk(), runKey), owner),
    noteDoing: async (runKey, owner, doing) => noteDoing(runOf(disk(), runKey), owner, doing),
    dueRuns: async (now, owner, limit) => dueRuns(disk(), now, owner, limit),
    leasedRuns: async (now, limit) => leasedRuns(disk(), now, limit),
    endedWithInboxRows: async (until, limit) => endedWithInboxRows(disk(), until, limit),
    stalledRuns: async (engineType, { now, forMs }, limit) => stalledRuns(disk(), engineType, now - forMs, limit),
  }
}

function feedOf(disk: () => MemoryDisk, clock: Clock): FeedStore {
  return {
    readMoves: async (after, limit) => readMoves(disk(), after, limit),
    readFeed: async (subscriber, page) => readFeed(disk(), subscriber, page),
    settleFeed: async (subscriber, { deliveries }) => settleFeed(disk(), subscriber, deliveries, clock.now()),
    feedStatus: async (subscriber) => feedStatus(disk(), subscriber),
    readDeadLetters: async (subscriber, limit, asked) => readDeadLetters(disk(), subscriber, limit, asked),
    askRedelivery: async (subscriber, runKey, runSeq, askedAt) =>
      askRedelivery(disk(), subscriber, { runKey, runSeq, ...(askedAt === undefined ? {} : { askedAt }) }),
    listSubscribers: async () => listSubscribers(disk()),
    dropDeadLetter: async (subscriber, runKey, runSeq) => dropDeadLetter(disk(), subscriber, runKey, runSeq),
    subscribersBehind: async (runKey) => subscribersBehind(disk(), runKey),
    dropSubscriber: async (subscriber) => void disk().subscribers.delete(subscriber),
  }
}

/** What verification reads, and what a server keeps. */
function besideRuns(disk: () => MemoryDisk, clock: Clock): EvidenceStore & ServerStore {
  return {
    ...evidenceOf(disk),
    ...admissionOf(disk),
    ...apiKeysOf(disk),
    ...idempotencyOf(disk),
    ...decisionsOf(disk, clock),
    ...auditLogOf(disk),
    ...schedulesOf(disk),
    ...triggersOf(disk),
    ...viewsOf(disk),
    ...fleetOf(disk),
    ...workOf(disk),
  }
}
