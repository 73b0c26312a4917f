/**
 * The commit (P-08): compare and set per run, then everything of that run or nothing. All refusals are found before the
 * first change, so there is nothing to roll back.
 */
import type {
  CommitResult,
  NewRun,
  RunCommit,
  RunRow,
  RunSummary,
  SealedEvent,
  StoredEvent,
} from '../../../ports/run-store.ts'
import { pair, type MemoryDisk, type MemoryRun } from './connect.ts'
import { writeContext } from './context.ts'
import { consume, consumptionRefusal, insertRow } from './inbox.ts'
import { runByRef, runOf } from './read.ts'
import { requireTenant } from './scope.ts'

export interface AppendSettings {
  readonly now: number
  /** Numbers thrown away after each commit (STO-03). */
  readonly burn: number
}

export function commit(
  disk: MemoryDisk,
  batch: readonly RunCommit[],
  settings: AppendSettings,
): readonly CommitResult[] {
  for (const { create, notify } of batch) {
    if (create !== undefined) requireTenant(create.tenantId)
    for (const { run } of notify ?? []) requireTenant(run.tenantId)
  }
  return batch.map((one) => commitRun(disk, one, settings))
}

function commitRun(disk: MemoryDisk, commit: RunCommit, settings: AppendSettings): CommitResult {
  const { create, expected } = commit
  if (create !== undefined) {
    if (disk.byRunId.has(create.runId)) return { kind: 'run-exists' }
    const same = create.requestKey === undefined ? undefined : disk.byRequest.get(requestOf(create))
    if (same !== undefined) return { kind: 'request-exists', runId: same.row.runId }
  }
  const run = create === undefined ? runOf(disk, commit.runKey) : newRun(disk, commit, create, settings.now)
  if (run === undefined) return { kind: 'conflict' }
  if (run.row.epoch !== expected.epoch || run.row.nextSeq !== expected.nextSeq) return { kind: 'conflict' }
  const consumption = consumptionRefusal(run, commit)
  if (consumption === 'conflict') return { kind: 'conflict' }
  const detail = consumption === 'constraint' ? 'inboxId' : brokenConstraint(run, commit.events, expected.nextSeq)
  if (detail !== undefined) return { kind: 'constraint', detail }
  if (create !== undefined) register(disk, run)
  apply(disk, run, commit, settings)
  return { kind: 'committed', runKey: run.row.runKey, persistedAt: settings.now }
}

const requestOf = (create: NewRun): string => pair(create.tenantId, create.requestKey ?? '')

function newRun(disk: MemoryDisk, commit: RunCommit, create: NewRun, now: number): MemoryRun {
  const row: RunRow = {
    ...create,
    ...commit.summary,
    runKey: disk.runs.length + 1,
    epoch: commit.expected.epoch,
    nextSeq: commit.expected.nextSeq,
    headHash: new Uint8Array(32),
    createdAt: now,
    updatedAt: now,
  }
  return {
    row,
    events: [],
    keys: new Map(),
    terminalSlots: new Set(),
    inbox: new Map(),
    pending: new Set(),
    context: new Map(),
    blobs: new Map(),
    snapshots: new Map(),
    claims: new Map(),
  }
}

function register(disk: MemoryDisk, run: MemoryRun): void {
  disk.runs.push(run)
  disk.byRunId.set(run.row.runId, run)
  if (run.row.requestKey !== undefined) disk.byRequest.set(requestOf(run.row), run)
}

/** The name of the first field that a unique index or a check of a database would refuse. */
function brokenConstraint(run: MemoryRun, events: readonly SealedEvent[], nextSeq: number): string | undefined {
  if (events.some((event, index) => event.runSeq !== nextSeq + index)) return 'runSeq'
  const keys = new Set<string>()
  const slots = new Set<string>()
  for (const { idempotencyKey, chainHash, data, salt, terminalSlot } of events) {
    const key = keyText(idempotencyKey)
    if (idempotencyKey.length !== 32) return 'idempotencyKey'
    if (chainHash.length !== 32) return 'chainHash'
    if ((data === undefined) !== (salt === undefined)) return 'salt'
    if (run.keys.has(key) || keys.has(key)) return 'idempotencyKey'
    keys.add(key)
    if (terminalSlot === undefined) continue
    if (run.terminalSlots.has(terminalSlot) || slots.has(terminalSlot)) return 'terminalSlot'
    slots.add(terminalSlot)
  }
  return undefined
}

export function keyText(key: Uint8Array): string {
  return Buffer.from(key.buffer, key.byteOffset, key.byteLength).toString('latin1')
}

function apply(disk: MemoryDisk, run: MemoryRun, commit: RunCommit, settings: AppendSettings): void {
  const { now, burn } = settings
  for (const event of commit.events) addEvent(run, event, now)
  for (const { inboxId, seq } of commit.consumed ?? []) consume(run, inboxId, seq)
  for (const write of commit.context ?? []) writeContext(run, write)
  for (const { sha256, text } of commit.blobs ?? []) if (!run.blobs.has(sha256)) run.blobs.set(sha256, text)
  const nextSeq = commit.expected.nextSeq + commit.events.length + (commit.events.length > 0 ? burn : 0)
  const { lease = run.row.lease } = commit
  run.row = Object.freeze({
    ...withoutSummary(run.row),
    ...commit.summary,
    epoch: commit.newEpoch ?? run.row.epoch,
    nextSeq,
    headHash: run.events.at(-1)?.chainHash ?? run.row.headHash,
    updatedAt: now,
    ...(lease === undefined ? {} : { lease: Object.freeze({ ...lease }) }),
  })
  for (const { run: ref, row } of commit.notify ?? []) {
    const other = runByRef(disk, ref)
    if (other !== undefined) insertRow(other, row, now)
  }
}

/** The optional parts of a summary must not survive from the one before. */
function withoutSummary(row: RunRow): Omit<RunRow, keyof RunSummary> {
  const { substatus, nextWakeAt, startedAt, endedAt, owed, errorCode, ...rest } = row
  return rest
}

export function addEvent(run: MemoryRun, event: SealedEvent, now: number): StoredEvent {
  const { data, salt, terminalSlot } = event
  const stored: StoredEvent = Object.freeze({
    runSeq: event.runSeq,
    eventType: event.eventType,
    idempotencyKey: new Uint8Array(event.idempotencyKey),
    record: event.record,
    ...(data === undefined ? {} : { data }),
    ...(salt === undefined ? {} : { salt: new Uint8Array(salt) }),
    chainHash: new Uint8Array(event.chainHash),
    ...(terminalSlot === undefined ? {} : { terminalSlot }),
    persistedAt: now,
  })
  run.events.push(stored)
  run.keys.set(keyText(stored.idempotencyKey), stored)
  if (terminalSlot !== undefined) run.terminalSlots.add(terminalSlot)
  return stored
}
