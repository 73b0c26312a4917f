/** Decisions about signals (AUT-01): a record and the inbox row of its run come together or not at all. Records are never removed. */
import { hash } from 'node:crypto'
import { fail } from '../../../core/problems/problem.ts'
import type { Clock } from '../../../ports/clock.ts'
import type {
  DecisionFilter,
  DecisionPage,
  DecisionRef,
  DecisionStore,
  EngineResult,
  RecordAnswer,
  SettleAnswer,
  Settlement,
  SignalDecisionRecord,
} from '../../../ports/decisions.ts'
import type { InboxInsert, RunRef } from '../../../ports/run-store.ts'
import type { MemoryDisk } from './connect.ts'
import { insertInbox } from './inbox.ts'
import { runByRef } from './read.ts'
import { requireTenant } from './scope.ts'

export function decisionsOf(disk: () => MemoryDisk, clock: Clock): DecisionStore {
  return {
    recordDecision: async (record, inboxRow) => recordDecision(disk(), record, inboxRow, clock.now()),
    findDecision: async (tenantId, ref) => findDecision(disk(), tenantId, ref),
    listDecisions: async (tenantId, filter, page) => listDecisions(disk(), tenantId, filter, page),
    settleDecision: async (tenantId, signalDecisionId, settlement, inboxRow) =>
      settleDecision(disk(), { tenantId, signalDecisionId }, settlement, inboxRow, clock.now()),
    noteResult: async (tenantId, signalDecisionId, at, result) =>
      noteResult(disk(), { tenantId, signalDecisionId }, at, result),
  }
}

function recordDecision(
  disk: MemoryDisk,
  record: SignalDecisionRecord,
  inboxRow: InboxInsert | undefined,
  now: number,
): RecordAnswer {
  const { runId, signalId, signalDecisionId, audit } = record
  const { tenantId } = audit
  const known = findDecision(disk, tenantId, { runId, signalId }) ?? findDecision(disk, tenantId, { signalDecisionId })
  if (known !== undefined) return { kind: 'exists', record: known }
  if (runByRef(disk, { tenantId, runId }) === undefined) return { kind: 'no-run' }
  const refused = tell(disk, { tenantId, runId }, inboxRow, now)
  if (refused !== undefined) return refused
  disk.decisions.push(Object.freeze({ ...record, audit: Object.freeze({ ...audit }) }))
  return { kind: 'recorded' }
}

/** Why the run cannot be told; undefined when it was, or when there is nothing to tell it. */
function tell(disk: MemoryDisk, ref: RunRef, inboxRow: InboxInsert | undefined, now: number) {
  if (inboxRow === undefined) return undefined
  const answer = insertInbox(disk, ref, inboxRow, now)
  return answer.kind === 'no-run' || answer.kind === 'conflict' ? answer : undefined
}

function findDecision({ decisions }: MemoryDisk, tenantId: string, ref: DecisionRef): SignalDecisionRecord | undefined {
  requireTenant(tenantId)
  const asked = Object.entries(ref)
  return decisions.find(
    (one) => one.audit.tenantId === tenantId && asked.every(([name, value]) => one[name as keyof typeof one] === value),
  )
}

interface Place {
  readonly timestamp: number
  readonly place: number
}

const oldestFirst = (a: Place, b: Place): number => a.timestamp - b.timestamp || a.place - b.place

function listDecisions(
  { decisions }: MemoryDisk,
  tenantId: string,
  { runId, state }: DecisionFilter,
  page: { readonly limit: number; readonly cursor?: string },
): DecisionPage {
  requireTenant(tenantId)
  const after = page.cursor === undefined ? undefined : placeOf(page.cursor)
  const limit = Math.max(1, Math.floor(page.limit))
  const found = decisions
    .map((record, index) => ({ record, timestamp: record.audit.timestamp, place: index + 1 }))
    .filter(({ record }) => record.audit.tenantId === tenantId && (runId === undefined || record.runId === runId))
    .filter(({ record }) => state === undefined || record.decision === state)
    .filter((one) => after === undefined || oldestFirst(one, after) > 0)
    .sort(oldestFirst)
  const shown = found.slice(0, limit)
  const last = shown.at(-1)
  const records = shown.map(({ record }) => record)
  return last === undefined || found.length <= limit
    ? { decisions: records }
    : { decisions: records, next: Buffer.from(`${last.timestamp}.${last.place}`).toString('base64url') }
}

function placeOf(cursor: string): Place {
  const match = /^(\d{1,16})\.(\d{1,16})$/.exec(Buffer.from(cursor, 'base64url').toString('latin1'))
  if (match === null) return fail('LIST_CURSOR_INVALID', 'The cursor does not come from this list.')
  return { timestamp: Number(match[1]), place: Number(match[2]) }
}

interface Named {
  readonly tenantId: string
  readonly signalDecisionId: string
}

function settleDecision(
  disk: MemoryDisk,
  { tenantId, signalDecisionId }: Named,
  settlement: Settlement,
  inboxRow: InboxInsert | undefined,
  now: number,
): SettleAnswer {
  const found = findDecision(disk, tenantId, { signalDecisionId })
  if (found === undefined) return { kind: 'no-decision' }
  if (found.decision !== 'PENDING') return { kind: 'already', record: found }
  const refused = tell(disk, { tenantId, runId: found.runId }, inboxRow, now)
  if (refused !== undefined) return refused
  return { kind: 'settled', record: replace(disk, found, { ...found, ...settlement }) }
}

function noteResult(
  disk: MemoryDisk,
  { tenantId, signalDecisionId }: Named,
  at: number,
  result: EngineResult,
): boolean {
  const found = findDecision(disk, tenantId, { signalDecisionId })
  if (found === undefined || found.engineProcessedAt !== undefined) return false
  replace(disk, found, { ...found, engineProcessedAt: at, engineResult: result })
  return true
}

function replace(
  { decisions }: MemoryDisk,
  old: SignalDecisionRecord,
  made: SignalDecisionRecord,
): SignalDecisionRecord {
  decisions[decisions.indexOf(old)] = Object.freeze(made)
  return made
}

/**
 * Erasure of a run (P-34): payload, reasons and the address may be personal, as the log's `data` is, and go; who decided what and when
 * stays for seven years (AUT-11), with the hash by which a repeat is recognised. Of a record that is still pending nothing is left to
 * apply, so it can only be refused.
 */
export function eraseDecisions(disk: MemoryDisk, { tenantId, runId }: RunRef): void {
  const ofRun = disk.decisions.filter((record) => record.audit.tenantId === tenantId && record.runId === runId)
  for (const record of ofRun) {
    const { reason, audit, signalPayload, ...kept } = record
    const { reason: why, sourceIp, ...who } = audit
    const payloadSha256 = kept.payloadSha256 ?? hash('sha256', signalPayload)
    replace(disk, record, { ...kept, audit: Object.freeze(who), signalPayload: '', payloadSha256 })
  }
}
