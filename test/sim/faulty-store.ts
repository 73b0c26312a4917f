/**
 * A store handle of one simulated process: every call passes a gate, which may let it through, refuse it, lose its
 * answer, delay it, or end the process before or after it. What reaches the disk is the real store's own work.
 */
import type { CommitResult, RunCommit, RunStore, ServerStore } from '../../src/ports/run-store.ts'
import type { FleetStore } from '../../src/ports/fleet.ts'
import type { ScheduleStore } from '../../src/ports/schedules.ts'
import type { TriggerStore } from '../../src/ports/triggers.ts'
import type { WorkStore } from '../../src/ports/work.ts'

export type Gate = <T>(method: keyof RunStore, work: () => Promise<T>) => Promise<T>

/** Told of every commit that reaches the disk, and of its answer, whether or not the answer reaches anybody. */
export interface CommitObserver {
  begin(): void
  end(batch: readonly RunCommit[], results: readonly CommitResult[]): void
}

export function faultyStore(inner: RunStore, gate: Gate, observer: CommitObserver, commitsAtOnce: number): RunStore {
  return {
    manifest: inner.manifest,
    commitsAtOnce,
    commit: (batch) =>
      gate('commit', () => {
        observer.begin()
        return inner.commit(batch).then(
          (results) => {
            observer.end(batch, results)
            return results
          },
          (thrown: unknown) => {
            observer.end([], [])
            throw thrown
          },
        )
      }),
    appendOpen: (run, writes, seal) => gate('appendOpen', () => inner.appendOpen(run, writes, seal)),
    findRun: (run) => gate('findRun', () => inner.findRun(run)),
    findRunByRequest: (tenantId, requestKey) =>
      gate('findRunByRequest', () => inner.findRunByRequest(tenantId, requestKey)),
    findRunByEngineRef: (tenantId, ref) => gate('findRunByEngineRef', () => inner.findRunByEngineRef(tenantId, ref)),
    getRun: (runKey) => gate('getRun', () => inner.getRun(runKey)),
    listRuns: (tenantId, filter, page) => gate('listRuns', () => inner.listRuns(tenantId, filter, page)),
    quarantine: (runKey, code) => gate('quarantine', () => inner.quarantine(runKey, code)),
    liftQuarantine: (runKey, code) => gate('liftQuarantine', () => inner.liftQuarantine(runKey, code)),
    noteDoing: (runKey, owner, doing) => gate('noteDoing', () => inner.noteDoing(runKey, owner, doing)),
    readEvents: (runKey, range) => gate('readEvents', () => inner.readEvents(runKey, range)),
    eraseData: (runKey, upToSeq) => gate('eraseData', () => inner.eraseData(runKey, upToSeq)),
    readContext: (runKey, atSeq) => gate('readContext', () => inner.readContext(runKey, atSeq)),
    insertInbox: (run, row) => gate('insertInbox', () => inner.insertInbox(run, row)),
    readInbox: (runKey) => gate('readInbox', () => inner.readInbox(runKey)),
    findInbox: (runKey, inboxId) => gate('findInbox', () => inner.findInbox(runKey, inboxId)),
    putBlob: (runKey, sha256, text) => gate('putBlob', () => inner.putBlob(runKey, sha256, text)),
    getBlob: (runKey, sha256) => gate('getBlob', () => inner.getBlob(runKey, sha256)),
    putPlan: (plan, how) => gate('putPlan', () => inner.putPlan(plan, how)),
    getPlan: (tenantId, sha256) => gate('getPlan', () => inner.getPlan(tenantId, sha256)),
    findPlan: (tenantId, planId, planVersion) => gate('findPlan', () => inner.findPlan(tenantId, planId, planVersion)),
    listPlans: (tenantId, after, limit) => gate('listPlans', () => inner.listPlans(tenantId, after, limit)),
    listPlanVersions: (tenantId, planId, limit) =>
      gate('listPlanVersions', () => inner.listPlanVersions(tenantId, planId, limit)),
    findPlanSource: (tenantId, sha256) => gate('findPlanSource', () => inner.findPlanSource(tenantId, sha256)),
    putCheckpoint: (runKey, snapshot) => gate('putCheckpoint', () => inner.putCheckpoint(runKey, snapshot)),
    getCheckpoint: (runKey, kind, maxSeq) => gate('getCheckpoint', () => inner.getCheckpoint(runKey, kind, maxSeq)),
    acquireLease: (runKey, owner, now, until, gone) =>
      gate('acquireLease', () => inner.acquireLease(runKey, owner, now, until, gone)),
    releaseLease: (runKey, owner) => gate('releaseLease', () => inner.releaseLease(runKey, owner)),
    endedWithInboxRows: (until, limit) => gate('endedWithInboxRows', () => inner.endedWithInboxRows(until, limit)),
    dueRuns: (now, owner, limit) => gate('dueRuns', () => inner.dueRuns(now, owner, limit)),
    leasedRuns: (now, limit) => gate('leasedRuns', () => inner.leasedRuns(now, limit)),
    stalledRuns: (engineType, at, limit) => gate('stalledRuns', () => inner.stalledRuns(engineType, at, limit)),
    claimAttempt: (runKey, claim) => gate('claimAttempt', () => inner.claimAttempt(runKey, claim)),
    readClaims: (runKey) => gate('readClaims', () => inner.readClaims(runKey)),
    putScopePause: (pause) => gate('putScopePause', () => inner.putScopePause(pause)),
    readScopePauses: (tenantId) => gate('readScopePauses', () => inner.readScopePauses(tenantId)),
    lastScopePause: (tenantId, scope) => gate('lastScopePause', () => inner.lastScopePause(tenantId, scope)),
    countRuns: (tenantId) => gate('countRuns', () => inner.countRuns(tenantId)),
    putPool: (definition, options) => gate('putPool', () => inner.putPool(definition, options)),
    listPools: () => gate('listPools', () => inner.listPools()),
    readPool: (pool, limit) => gate('readPool', () => inner.readPool(pool, limit)),
    readGrants: (runKey) => gate('readGrants', () => inner.readGrants(runKey)),
    sweepGrants: () => gate('sweepGrants', () => inner.sweepGrants()),
    sendEvent: (event) => gate('sendEvent', () => inner.sendEvent(event)),
    readEventWaits: (runKey) => gate('readEventWaits', () => inner.readEventWaits(runKey)),
    purgeEvents: (limit) => gate('purgeEvents', () => inner.purgeEvents(limit)),
    readMoves: (after, limit) => gate('readMoves', () => inner.readMoves(after, limit)),
    readFeed: (subscriber, page) => gate('readFeed', () => inner.readFeed(subscriber, page)),
    settleFeed: (subscriber, settled) => gate('settleFeed', () => inner.settleFeed(subscriber, settled)),
    feedStatus: (subscriber) => gate('feedStatus', () => inner.feedStatus(subscriber)),
    readDeadLetters: (subscriber, limit, asked) =>
      gate('readDeadLetters', () => inner.readDeadLetters(subscriber, limit, asked)),
    askRedelivery: (subscriber, runKey, runSeq, at) =>
      gate('askRedelivery', () => inner.askRedelivery(subscriber, runKey, runSeq, at)),
    listSubscribers: () => gate('listSubscribers', () => inner.listSubscribers()),
    dropDeadLetter: (subscriber, runKey, runSeq) =>
      gate('dropDeadLetter', () => inner.dropDeadLetter(subscriber, runKey, runSeq)),
    subscribersBehind: (runKey) => gate('subscribersBehind', () => inner.subscribersBehind(runKey)),
    dropSubscriber: (subscriber) => gate('dropSubscriber', () => inner.dropSubscriber(subscriber)),
    archivableRuns: (before, limit) => gate('archivableRuns', () => inner.archivableRuns(before, limit)),
    archiveRun: (runKey, expected, place) => gate('archiveRun', () => inner.archiveRun(runKey, expected, place)),
    raiseEpochs: () => gate('raiseEpochs', () => inner.raiseEpochs()),
    readSides: (runKey) => gate('readSides', () => inner.readSides(runKey)),
    pageRuns: (afterKey, limit) => gate('pageRuns', () => inner.pageRuns(afterKey, limit)),
    pagePublications: (after, limit) => gate('pagePublications', () => inner.pagePublications(after, limit)),
    settledSeq: (runKey, subscriber) => gate('settledSeq', () => inner.settledSeq(runKey, subscriber)),
    pagePlans: (from, limit) => gate('pagePlans', () => inner.pagePlans(from, limit)),
    faults: () => gate('faults', () => inner.faults()),
    ...serverStore(inner, gate),
    close: () => Promise.resolve(),
  }
}

function clockworkStore(inner: ServerStore, gate: Gate): ScheduleStore & TriggerStore {
  return {
    putSchedule: (schedule) => gate('putSchedule', () => inner.putSchedule(schedule)),
    findSchedule: (tenantId, id) => gate('findSchedule', () => inner.findSchedule(tenantId, id)),
    listSchedules: (tenantId, after, n) => gate('listSchedules', () => inner.listSchedules(tenantId, after, n)),
    deleteSchedule: (tenantId, id) => gate('deleteSchedule', () => inner.deleteSchedule(tenantId, id)),
    dueSchedules: (now, limit) => gate('dueSchedules', () => inner.dueSchedules(now, limit)),
    nextScheduleDue: () => gate('nextScheduleDue', () => inner.nextScheduleDue()),
    putTrigger: (trigger) => gate('putTrigger', () => inner.putTrigger(trigger)),
    findTrigger: (tenantId, name) => gate('findTrigger', () => inner.findTrigger(tenantId, name)),
    findTriggerAt: (address) => gate('findTriggerAt', () => inner.findTriggerAt(address)),
    listTriggers: (tenantId, after, n) => gate('listTriggers', () => inner.listTriggers(tenantId, after, n)),
    deleteTrigger: (tenantId, name) => gate('deleteTrigger', () => inner.deleteTrigger(tenantId, name)),
    noteDelivery: (tenantId, name, one, keep) =>
      gate('noteDelivery', () => inner.noteDelivery(tenantId, name, one, keep)),
    listDeliveries: (tenantId, name, n) => gate('listDeliveries', () => inner.listDeliveries(tenantId, name, n)),
  }
}

function fleetStore(inner: ServerStore, gate: Gate): FleetStore {
  return {
    createOperation: (one, runIds) => gate('createOperation', () => inner.createOperation(one, runIds)),
    putOperation: (one) => gate('putOperation', () => inner.putOperation(one)),
    findOperation: (tenantId, id) => gate('findOperation', () => inner.findOperation(tenantId, id)),
    listOperations: (tenantId, page) => gate('listOperations', () => inner.listOperations(tenantId, page)),
    dueOperations: (now, limit) => gate('dueOperations', () => inner.dueOperations(now, limit)),
    fleetRuns: (tenantId, id, outcome, n) => gate('fleetRuns', () => inner.fleetRuns(tenantId, id, outcome, n)),
    noteFleetRuns: (tenantId, id, runs) => gate('noteFleetRuns', () => inner.noteFleetRuns(tenantId, id, runs)),
    countFleetRuns: (tenantId, id) => gate('countFleetRuns', () => inner.countFleetRuns(tenantId, id)),
  }
}

function workStore(inner: ServerStore, gate: Gate): WorkStore {
  return {
    putWork: (work) => gate('putWork', () => inner.putWork(work)),
    findWork: (ref) => gate('findWork', () => inner.findWork(ref)),
    findClaim: (tenantId, sha256) => gate('findClaim', () => inner.findClaim(tenantId, sha256)),
    findEndedClaim: (tenantId, sha256) => gate('findEndedClaim', () => inner.findEndedClaim(tenantId, sha256)),
    reportEndedClaim: (tenantId, sha256, report) =>
      gate('reportEndedClaim', () => inner.reportEndedClaim(tenantId, sha256, report)),
    movedWork: (seen) => gate('movedWork', () => inner.movedWork(seen)),
    openWork: (tenantId, wanted, limit) => gate('openWork', () => inner.openWork(tenantId, wanted, limit)),
    untouchedWork: (before, limit) => gate('untouchedWork', () => inner.untouchedWork(before, limit)),
    deleteWork: (ref) => gate('deleteWork', () => inner.deleteWork(ref)),
    noteWorker: (worker) => gate('noteWorker', () => inner.noteWorker(worker)),
    listWork: (tenantId, limit) => gate('listWork', () => inner.listWork(tenantId, limit)),
    listWorkers: (tenantId, limit) => gate('listWorkers', () => inner.listWorkers(tenantId, limit)),
    dropWorkers: (askedBefore) => gate('dropWorkers', () => inner.dropWorkers(askedBefore)),
  }
}

function serverStore(inner: ServerStore, gate: Gate): ServerStore {
  return {
    putView: (view) => gate('putView', () => inner.putView(view)),
    findView: (tenantId, id) => gate('findView', () => inner.findView(tenantId, id)),
    listViews: (tenantId, ownerId) => gate('listViews', () => inner.listViews(tenantId, ownerId)),
    removeView: (tenantId, id) => gate('removeView', () => inner.removeView(tenantId, id)),
    putLimit: (limit) => gate('putLimit', () => inner.putLimit(limit)),
    removeLimit: (tenantId, name) => gate('removeLimit', () => inner.removeLimit(tenantId, name)),
    listLimits: (tenantId) => gate('listLimits', () => inner.listLimits(tenantId)),
    queuedRuns: (type, now, limit) => gate('queuedRuns', () => inner.queuedRuns(type, now, limit)),
    endedHolders: (limit) => gate('endedHolders', () => inner.endedHolders(limit)),
    ...clockworkStore(inner, gate),
    ...fleetStore(inner, gate),
    ...workStore(inner, gate),
    putApiKey: (key) => gate('putApiKey', () => inner.putApiKey(key)),
    findApiKey: (keyId) => gate('findApiKey', () => inner.findApiKey(keyId)),
    listApiKeys: (tenantId) => gate('listApiKeys', () => inner.listApiKeys(tenantId)),
    revokeApiKey: (tenantId, keyId, at) => gate('revokeApiKey', () => inner.revokeApiKey(tenantId, keyId, at)),
    noteApiKeyUse: (keyId, at) => gate('noteApiKeyUse', () => inner.noteApiKeyUse(keyId, at)),
    putTenant: (tenant) => gate('putTenant', () => inner.putTenant(tenant)),
    findTenant: (tenantId) => gate('findTenant', () => inner.findTenant(tenantId)),
    listTenants: () => gate('listTenants', () => inner.listTenants()),
    deleteTenant: (tenantId, at) => gate('deleteTenant', () => inner.deleteTenant(tenantId, at)),
    takeRequest: (take) => gate('takeRequest', () => inner.takeRequest(take)),
    keepRequest: (ref, owner, until) => gate('keepRequest', () => inner.keepRequest(ref, owner, until)),
    noteExecution: (ref, owner, id) => gate('noteExecution', () => inner.noteExecution(ref, owner, id)),
    answerRequest: (ref, owner, answer, at) => gate('answerRequest', () => inner.answerRequest(ref, owner, answer, at)),
    dropRequest: (ref, owner) => gate('dropRequest', () => inner.dropRequest(ref, owner)),
    sweepRequests: (before) => gate('sweepRequests', () => inner.sweepRequests(before)),
    endSession: (tenantId, sessionId, endsAt) =>
      gate('endSession', () => inner.endSession(tenantId, sessionId, endsAt)),
    isSessionEnded: (tenantId, sessionId) => gate('isSessionEnded', () => inner.isSessionEnded(tenantId, sessionId)),
    recordDecision: (record, row) => gate('recordDecision', () => inner.recordDecision(record, row)),
    findDecision: (tenantId, ref) => gate('findDecision', () => inner.findDecision(tenantId, ref)),
    listDecisions: (tenantId, filter, page) => gate('listDecisions', () => inner.listDecisions(tenantId, filter, page)),
    settleDecision: (tenantId, id, settlement, row) =>
      gate('settleDecision', () => inner.settleDecision(tenantId, id, settlement, row)),
    noteResult: (tenantId, id, at, result) => gate('noteResult', () => inner.noteResult(tenantId, id, at, result)),
    appendAudit: (tenantId, entries, seal) => gate('appendAudit', () => inner.appendAudit(tenantId, entries, seal)),
    readAudit: (tenantId, after, limit) => gate('readAudit', () => inner.readAudit(tenantId, after, limit)),
    auditHead: (tenantId) => gate('auditHead', () => inner.auditHead(tenantId)),
    auditTenants: () => gate('auditTenants', () => inner.auditTenants()),
  }
}
