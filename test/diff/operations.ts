/** Operations of the differential test on runs, logs, inboxes, values, leases and pauses. */
import { isTerminalRun } from '../../src/core/run/state/transitions.ts'
import type { RunCommit, RunStatus, RunStore } from '../../src/ports/run-store.ts'
import { newRun, summary } from '../../src/testing/store/run-fixtures.ts'
import { openSeal, openWrite, type EventSpec } from '../../src/testing/store/sealed-events.ts'
import { creation, nextCommit } from '../../src/testing/store/store-case.ts'
import {
  anyRow,
  commitMove,
  committed,
  found,
  hasKind,
  refused,
  SLOTS,
  some,
  STATUSES,
  TENANTS,
  yes,
  type Move,
  type Operations,
  type Scene,
} from './scene.ts'

const OWNERS = ['me', 'you'] as const
const ENGINES = ['temporal', 'embedded', 'conductor'] as const

function anySpecs({ chance }: Scene, max: number): readonly EventSpec[] {
  return Array.from({ length: chance.below(max + 1) }, () => ({
    eventType: chance.pick(['StepStarted', 'StepCompleted', 'StepFailed', 'AlertRaised']),
    slot: chance.pick(SLOTS),
    attempt: 1 + chance.below(12),
    payload: { value: chance.below(3) },
    ...(chance.below(2) === 0 ? {} : { data: { result: chance.below(3) } }),
  }))
}

/** A run that has ended stays so. */
function anySummary({ chance, now }: Scene, before?: RunStatus) {
  const status = chance.pick(STATUSES)
  return summary({
    status: before !== undefined && isTerminalRun(before) ? before : status,
    stepsDone: chance.below(9),
    ...(chance.below(2) === 0 ? {} : { nextWakeAt: now + chance.below(2000) - 1000 }),
    ...(chance.below(3) === 0 ? { owed: true as const } : {}),
    ...(chance.below(3) === 0 ? { substatus: 'RETRYING', errorCode: 'TIMEOUT', endedAt: now } : {}),
  })
}

function anyCreation(scene: Scene): RunCommit {
  const { chance } = scene
  const n = chance.below(20)
  const run = newRun({
    runId: `run-${n}`,
    tenantId: chance.pick(TENANTS),
    planId: chance.pick(['plan-a', 'plan-b']),
    ...(chance.below(2) === 0 ? { requestKey: `request-${chance.below(4)}` } : {}),
    ...(chance.below(4) === 0 ? { originalRunId: 'run-0', parent: { runId: 'run-1', slot: 'a', attempt: 1 } } : {}),
  })
  return creation(run, anySpecs(scene, 3), { summary: anySummary(scene) })
}

function anyEngine({ chance }: Scene) {
  const engineType = chance.pick(ENGINES)
  return { engineType, engineRunRef: `${engineType}://run-${chance.below(4)}` }
}

function anyNext(scene: Scene): RunCommit {
  const { chance } = scene
  const row = anyRow(scene)
  const target = anyRow(scene)
  const seq = row.nextSeq
  const inboxRow = { inboxId: `child:${chance.below(4)}`, kind: 'child', body: `${chance.below(2)}` }
  return {
    ...nextCommit(row, anySpecs(scene, 4), { summary: anySummary(scene, row.status) }),
    ...(chance.below(6) === 0 ? { expected: { epoch: row.epoch, nextSeq: Math.max(1, seq - chance.below(2)) } } : {}),
    ...(chance.below(4) === 0 ? { newEpoch: row.epoch + 1 } : {}),
    ...(chance.below(3) === 0 ? { consumed: [{ inboxId: `signal:${chance.below(2)}`, seq }] } : {}),
    ...(chance.below(3) === 0 ? { context: [{ variable: chance.pick(SLOTS), seq, value: `${chance.below(9)}` }] } : {}),
    ...(chance.below(3) === 0 ? { notify: [{ run: target, row: inboxRow }] } : {}),
    ...(chance.below(4) === 0 ? { blobs: [{ sha256: `blob-${chance.below(2)}`, text: `${chance.below(2)}` }] } : {}),
    ...(chance.below(5) === 0 ? { lease: { owner: chance.pick(OWNERS), until: scene.now + 500 } } : {}),
    ...(chance.below(4) === 0 ? { engine: anyEngine(scene) } : {}),
  }
}

function insertMove(scene: Scene, kind: string): Move {
  const row = anyRow(scene)
  const { chance } = scene
  const insert = { inboxId: `signal:${chance.pick([0, 0, 1])}`, kind: 'signal', body: `${chance.below(2)}` }
  const run = chance.below(8) === 0 ? { ...row, tenantId: 'tenant-c' } : row
  return { call: (store) => store.insertInbox(run, insert), succeeded: hasKind(kind) }
}

function listMove(scene: Scene): Move {
  const { chance, now } = scene
  const filter = {
    ...(chance.below(2) === 0 ? { status: [chance.pick(STATUSES), chance.pick(STATUSES)] } : {}),
    ...(chance.below(3) === 0 ? { planId: 'plan-a' } : {}),
    ...(chance.below(4) === 0 ? { createdFrom: now - 3000, createdTo: now } : {}),
    ...(chance.below(6) === 0 ? { originalRunId: 'run-0' } : {}),
  }
  const tenantId = chance.pick(TENANTS)
  const limit = 1 + chance.below(3)
  const call = async (store: RunStore) => {
    const first = await store.listRuns(tenantId, filter, { limit })
    if (first.next === undefined) return [...first.runs]
    const second = await store.listRuns(tenantId, filter, { limit, cursor: first.next })
    return [...first.runs, 'next', ...second.runs, second.next === undefined]
  }
  return { call, succeeded: some }
}

export const RUN_OPERATIONS: Operations = {
  create: (scene) => commitMove([anyCreation(scene)], committed),
  createKnown: (scene) => commitMove([anyCreation(scene)], refused('run-exists')),
  createRequested: (scene) => commitMove([anyCreation(scene)], refused('request-exists')),
  commit: (scene) => commitMove([anyNext(scene)], committed),
  commitConflict: (scene) => {
    const { expected, ...rest } = anyNext(scene)
    const stale = scene.chance.below(2) === 0 ? { epoch: expected.epoch + 1 } : { nextSeq: expected.nextSeq + 1 }
    return commitMove([{ ...rest, expected: { ...expected, ...stale } }], refused('conflict'))
  },
  commitConstraint: (scene) => commitMove([anyNext(scene)], refused('constraint')),
  commitBatch: (scene) => commitMove([anyNext(scene), anyCreation(scene), anyNext(scene), anyNext(scene)], committed),
  appendOpen: (scene) => {
    const row = anyRow(scene)
    const writes = anySpecs(scene, 4).map((spec) => openWrite(row, spec))
    return { call: (store) => store.appendOpen(row, writes, openSeal(row)), succeeded: some }
  },
  insertInbox: (scene) => insertMove(scene, 'inserted'),
  insertDuplicate: (scene) => insertMove(scene, 'duplicate'),
  insertConflict: (scene) => insertMove(scene, 'conflict'),
  readInbox: (scene) => {
    const { runKey } = anyRow(scene)
    return { call: (store) => store.readInbox(runKey), succeeded: some }
  },
  findInbox: (scene) => {
    const { runKey } = anyRow(scene)
    const inboxId = `signal:${scene.chance.below(2)}`
    return { call: (store) => store.findInbox(runKey, inboxId), succeeded: found }
  },
  findRun: (scene) => {
    const ref = { tenantId: scene.chance.pick(TENANTS), runId: `run-${scene.chance.below(20)}` }
    return { call: (store) => store.findRun(ref), succeeded: found }
  },
  findByRequest: (scene) => {
    const [tenantId, request] = [scene.chance.pick(TENANTS), `request-${scene.chance.below(4)}`]
    return { call: (store) => store.findRunByRequest(tenantId, request), succeeded: found }
  },
  findByEngineRef: (scene) => {
    const { engineRunRef } = anyRow(scene)
    const tenantId = scene.chance.pick(TENANTS)
    return { call: (store) => store.findRunByEngineRef(tenantId, engineRunRef), succeeded: found }
  },
  listRuns: listMove,
  quarantine: (scene) => {
    const { runKey } = anyRow(scene)
    return { call: (store) => store.quarantine(runKey, 'RUN_QUARANTINED') }
  },
  liftQuarantine: (scene) => {
    const { runKey } = anyRow(scene)
    const code = scene.chance.pick(['RUN_QUARANTINED', 'RUN_KILLS_PROCESS'])
    const call = async (store: RunStore): Promise<boolean> => {
      await store.quarantine(runKey, 'RUN_KILLS_PROCESS')
      return store.liftQuarantine(runKey, code)
    }
    return { call, succeeded: yes }
  },
  readEvents: (scene) => {
    const { runKey } = anyRow(scene)
    const range = { afterSeq: scene.chance.below(5), limit: 1 + scene.chance.below(5) }
    return { call: (store) => store.readEvents(runKey, range), succeeded: some }
  },
  eraseData: (scene) => {
    const { runKey } = anyRow(scene)
    const upToSeq = scene.chance.below(8)
    return { call: (store) => store.eraseData(runKey, upToSeq) }
  },
  readContext: (scene) => {
    const { runKey } = anyRow(scene)
    const atSeq = scene.chance.below(20)
    return {
      call: async (store) => [...(await store.readContext(runKey, atSeq))].sort(([a], [b]) => (a < b ? -1 : 1)),
      succeeded: some,
    }
  },
  putBlob: (scene) => {
    const { runKey } = anyRow(scene)
    const [sha256, text] = [`blob-${scene.chance.below(2)}`, `${scene.chance.below(2)}`]
    return { call: (store) => store.putBlob(runKey, sha256, text) }
  },
  getBlob: (scene) => {
    const { runKey } = anyRow(scene)
    const sha256 = `blob-${scene.chance.below(2)}`
    return { call: (store) => store.getBlob(runKey, sha256), succeeded: found }
  },
  putPlan: (scene) => {
    // Enough of them that one id and version has several hashes.
    const n = scene.chance.below(8)
    const [publish, replaceVersion] = [scene.chance.below(2) === 0, scene.chance.below(3) === 0]
    const name = { tenantId: scene.chance.pick(TENANTS), sha256: `${n}`, planId: `p${n % 2}`, planVersion: `${n % 3}` }
    const plan = { ...name, text: `${scene.chance.below(2)}` }
    const sha256 = 'a'.repeat(64)
    const how = { publish, replaceVersion, ...(n % 2 === 0 ? {} : { source: { sha256, sizeBytes: n } }) }
    return { call: (store) => store.putPlan(plan, how), succeeded: hasKind('stored') }
  },
  getPlan: (scene) => {
    const sha256 = `${scene.chance.below(8)}`
    const tenantId = scene.chance.pick(TENANTS)
    const call = async (store: RunStore): Promise<unknown> => {
      const text = await store.getPlan(tenantId, sha256)
      return text === undefined ? undefined : { text, source: await store.findPlanSource(tenantId, sha256) }
    }
    return { call, succeeded: found }
  },
  findPlan: (scene) => {
    const planId = `p${scene.chance.below(2)}`
    const version = scene.chance.below(2) === 0 ? undefined : `${scene.chance.below(3)}`
    const tenantId = scene.chance.pick(TENANTS)
    return { call: (store) => store.findPlan(tenantId, planId, version), succeeded: found }
  },
  putCheckpoint: (scene) => {
    const { runKey } = anyRow(scene)
    const { chance } = scene
    const kind = chance.pick(['state', 'state', 'view'])
    const snapshot = { kind, seq: chance.below(9), rulesVersion: 1, body: `${chance.below(9)}` }
    return { call: (store) => store.putCheckpoint(runKey, snapshot) }
  },
  getCheckpoint: (scene) => {
    const { runKey } = anyRow(scene)
    const [kind, maxSeq] = [scene.chance.pick(['state', 'state', 'view']), 5 + scene.chance.below(9)]
    return { call: (store) => store.getCheckpoint(runKey, kind, maxSeq), succeeded: found }
  },
  acquireLease: (scene) => {
    const { runKey } = anyRow(scene)
    const [owner, now] = [scene.chance.pick(OWNERS), scene.now + scene.chance.below(1000) - 500]
    const gone = scene.chance.below(4) === 0 ? scene.chance.pick(OWNERS) : undefined
    return { call: (store) => store.acquireLease(runKey, owner, now, now + 400, gone), succeeded: found }
  },
  noteDoing: (scene) => {
    const { runKey } = anyRow(scene)
    const [owner, doing] = [
      scene.chance.pick(OWNERS),
      scene.chance.pick(['0 deciding', '2 folding its log', undefined]),
    ]
    return { call: (store) => store.noteDoing(runKey, owner, doing) }
  },
  releaseLease: (scene) => {
    const { runKey } = anyRow(scene)
    const owner = scene.chance.pick(OWNERS)
    return { call: (store) => store.releaseLease(runKey, owner) }
  },
  dueRuns: (scene) => {
    const { chance } = scene
    const [now, owner, limit] = [scene.now + chance.below(1000) - 500, chance.pick(OWNERS), 1 + chance.below(4)]
    return { call: (store) => store.dueRuns(now, owner, limit), succeeded: some }
  },
  leasedRuns: (scene) => {
    const { chance } = scene
    // Leases of the operations are short: mostly they still run at an earlier instant alone.
    const [now, limit] = [scene.now + 300 - chance.below(3000), 1 + chance.below(4)]
    return { call: (store) => store.leasedRuns(now, limit), succeeded: some }
  },
  stalledRuns: (scene) => {
    const { chance } = scene
    const at = { now: scene.now + chance.below(1000) - 500, forMs: chance.below(300) }
    const [engineType, limit] = [chance.pick(ENGINES), 1 + chance.below(4)]
    return { call: (store) => store.stalledRuns(engineType, at, limit), succeeded: some }
  },
  claimAttempt: (scene) => {
    const { runKey } = anyRow(scene)
    const claim = {
      slot: scene.chance.pick(SLOTS),
      attempt: 1 + scene.chance.below(2),
      claimant: scene.chance.pick(OWNERS),
    }
    return { call: (store) => store.claimAttempt(runKey, claim), succeeded: yes }
  },
  readClaims: (scene) => {
    const { runKey } = anyRow(scene)
    return { call: (store) => store.readClaims(runKey), succeeded: some }
  },
  putScopePause: (scene) => {
    const { chance } = scene
    const owner = chance.below(3) === 0 ? {} : { tenantId: chance.pick(TENANTS) }
    const pause = { pauseId: `p${chance.below(4)}`, scope: 'tenant', ...owner, active: chance.below(2) === 0 }
    return { call: (store) => store.putScopePause(pause) }
  },
  readScopePauses: (scene) => {
    const tenantId = scene.chance.pick(TENANTS)
    return { call: (store) => store.readScopePauses(tenantId), succeeded: some }
  },
  lastScopePause: (scene) => {
    const tenantId = scene.chance.pick(TENANTS)
    return { call: (store) => store.lastScopePause(tenantId, 'tenant'), succeeded: (answer) => answer !== undefined }
  },
}
