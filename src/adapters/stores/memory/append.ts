/**
 * The commit (P-08): compare and set per run, then everything of that run or nothing. All refusals are found before the
 * first change, so there is nothing to roll back.
 */
import { scopeCovers } from '../../../core/run/signals/scope-covers.ts'
import type { CommitResult, NewRun, RunCommit, RunRow, RunSummary } from '../../../ports/run-store.ts'
import { pair, type MemoryDisk, type MemoryRun } from './connect.ts'
import { writeContext } from './context.ts'
import { changeEventWaits } from './events.ts'
import { queueGrants, takeGrants } from './grants.ts'
import { consume, consumptionRefusal, insertRow, readInbox } from './inbox.ts'
import { addEvent, brokenConstraint } from './insert-events.ts'
import { readScopePauses } from './pauses.ts'
import { liveByRef, liveOf } from './read.ts'
import { requireTenant } from './scope.ts'

export interface AppendSettings {
  readonly now: number
  /** Numbers skipped after each commit (STO-03). */
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

function commitRun(disk: MemoryDisk, one: RunCommit, settings: AppendSettings): CommitResult {
  const { create, expected } = one
  if (create !== undefined) {
    if (disk.byRef.has(refOf(create))) return { kind: 'run-exists' }
    const same = create.requestKey === undefined ? undefined : disk.byRequest.get(requestOf(create))
    if (same !== undefined) return { kind: 'request-exists', runId: same.row.runId }
  }
  const run = create === undefined ? liveOf(disk, one.runKey) : newRun(disk, one, create, settings.now)
  if (run === undefined) return { kind: 'conflict' }
  if (!isExpected(run.row, expected)) return { kind: 'conflict' }
  const unread = one.unread === true ? unreadBy(disk, run) : undefined
  if (unread !== undefined) return unread
  const consumption = consumptionRefusal(run, one)
  if (consumption === 'conflict') return { kind: 'conflict' }
  if (consumption === 'constraint') return { kind: 'constraint', detail: 'inboxId' }
  const grants = takeGrants(disk, run.row, one, settings.now)
  if (grants !== undefined && grants.refused.length > 0) return { kind: 'ungranted', refused: grants.refused }
  const detail = brokenConstraint(run, one.events, expected.nextSeq)
  if (detail !== undefined) return { kind: 'constraint', detail }
  if (create !== undefined) register(disk, run)
  if (grants !== undefined) disk.grants = grants.tables
  apply(disk, run, one, settings)
  if (grants !== undefined) queueGrants(disk, run.row, one, grants, settings.now)
  return { kind: 'committed', runKey: run.row.runKey, persistedAt: settings.now }
}

function unreadBy(disk: MemoryDisk, run: MemoryRun): CommitResult | undefined {
  const pauses = readScopePauses(disk, run.row.tenantId)
  if (run.pending.size === 0 && !pauses.some(({ active, scope }) => active && scopeCovers(scope, run.row.planId)))
    return undefined
  return { kind: 'unread', inboxRows: readInbox(run), pauses }
}

function isExpected(row: RunRow, { epoch, nextSeq, nextWakeAt }: RunCommit['expected']): boolean {
  const sameWake = nextWakeAt === undefined || (row.nextWakeAt ?? null) === nextWakeAt
  return row.epoch === epoch && row.nextSeq === nextSeq && sameWake
}

const refOf = ({ tenantId, runId }: NewRun): string => pair(tenantId, runId)
const requestOf = (create: NewRun): string => pair(create.tenantId, create.requestKey ?? '')

function newRun(disk: MemoryDisk, one: RunCommit, create: NewRun, now: number): MemoryRun {
  const row: RunRow = {
    ...create,
    ...one.summary,
    runKey: disk.runs.length + 1,
    epoch: one.expected.epoch,
    nextSeq: one.expected.nextSeq,
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
    eventWaits: new Map(),
    labels: one.labels ?? {},
    feedPos: 0,
  }
}

function register(disk: MemoryDisk, run: MemoryRun): void {
  disk.runs.push(run)
  disk.byRef.set(refOf(run.row), run)
  if (run.row.requestKey !== undefined) disk.byRequest.set(requestOf(run.row), run)
}

function apply(disk: MemoryDisk, run: MemoryRun, one: RunCommit, settings: AppendSettings): void {
  const { now, burn } = settings
  for (const event of one.events) addEvent(run, event, now)
  if (one.events.length > 0) run.feedPos = ++disk.feedPos
  for (const { inboxId, seq } of one.consumed ?? []) consume(run, inboxId, seq)
  for (const write of one.context ?? []) writeContext(run, write)
  for (const { sha256, text } of one.blobs ?? []) if (!run.blobs.has(sha256)) run.blobs.set(sha256, text)
  const nextSeq = one.expected.nextSeq + one.events.length + (one.events.length > 0 ? burn : 0)
  const { lease = run.row.lease, engine: { engineType, engineRunRef } = run.row } = one
  run.row = Object.freeze({
    ...withoutSummary(run.row),
    ...one.summary,
    engineType,
    engineRunRef,
    epoch: one.newEpoch ?? run.row.epoch,
    nextSeq,
    headHash: run.events.at(-1)?.chainHash ?? run.row.headHash,
    updatedAt: now,
    ...(lease === undefined ? {} : { lease: Object.freeze({ ...lease }) }),
  })
  for (const { run: ref, row } of one.notify ?? []) {
    const other = liveByRef(disk, ref)
    if (other !== undefined) insertRow(other, row, now)
  }
  if (one.eventWaits !== undefined) changeEventWaits(disk, run, one.eventWaits, now)
}

/** Optional fields of the previous summary must not survive. */
function withoutSummary(row: RunRow): Omit<RunRow, keyof RunSummary> {
  const { substatus, nextWakeAt, startedAt, endedAt, owed, errorCode, ...rest } = row
  return rest
}
