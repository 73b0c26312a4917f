/**
 * A store handle of one simulated process: every call passes a gate, which may let it through, refuse it, lose its
 * answer, delay it, or end the process before or after it. What reaches the disk is the real store's own work.
 */
import type { CommitResult, RunCommit, RunStore } from '../../src/ports/run-store.ts'

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
    putCheckpoint: (runKey, snapshot) => gate('putCheckpoint', () => inner.putCheckpoint(runKey, snapshot)),
    getCheckpoint: (runKey, kind, maxSeq) => gate('getCheckpoint', () => inner.getCheckpoint(runKey, kind, maxSeq)),
    acquireLease: (runKey, owner, now, until, gone) =>
      gate('acquireLease', () => inner.acquireLease(runKey, owner, now, until, gone)),
    releaseLease: (runKey, owner) => gate('releaseLease', () => inner.releaseLease(runKey, owner)),
    endedWithInboxRows: (until, limit) => gate('endedWithInboxRows', () => inner.endedWithInboxRows(until, limit)),
    dueRuns: (now, owner, limit) => gate('dueRuns', () => inner.dueRuns(now, owner, limit)),
    stalledRuns: (engineType, at, limit) => gate('stalledRuns', () => inner.stalledRuns(engineType, at, limit)),
    claimAttempt: (runKey, claim) => gate('claimAttempt', () => inner.claimAttempt(runKey, claim)),
    readClaims: (runKey) => gate('readClaims', () => inner.readClaims(runKey)),
    putScopePause: (pause) => gate('putScopePause', () => inner.putScopePause(pause)),
    readScopePauses: (tenantId) => gate('readScopePauses', () => inner.readScopePauses(tenantId)),
    countRuns: (tenantId) => gate('countRuns', () => inner.countRuns(tenantId)),
    putPool: (definition, options) => gate('putPool', () => inner.putPool(definition, options)),
    listPools: () => gate('listPools', () => inner.listPools()),
    readGrants: (runKey) => gate('readGrants', () => inner.readGrants(runKey)),
    sweepGrants: () => gate('sweepGrants', () => inner.sweepGrants()),
    sendEvent: (event) => gate('sendEvent', () => inner.sendEvent(event)),
    readEventWaits: (runKey) => gate('readEventWaits', () => inner.readEventWaits(runKey)),
    purgeEvents: (limit) => gate('purgeEvents', () => inner.purgeEvents(limit)),
    readFeed: (subscriber, page) => gate('readFeed', () => inner.readFeed(subscriber, page)),
    settleFeed: (subscriber, settled) => gate('settleFeed', () => inner.settleFeed(subscriber, settled)),
    feedStatus: (subscriber) => gate('feedStatus', () => inner.feedStatus(subscriber)),
    readDeadLetters: (subscriber, limit) => gate('readDeadLetters', () => inner.readDeadLetters(subscriber, limit)),
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
    close: () => Promise.resolve(),
  }
}
