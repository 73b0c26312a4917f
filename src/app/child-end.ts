/**
 * How a child run's end reaches its parent: a row for the parent's inbox in the child's terminal append, and its
 * reading as the outcome of the parent's plan step (P-29).
 */
import type { ErrorClass, Payload } from '../core/events/event.ts'
import { compensationSlot } from '../core/events/slot.ts'
import { describeClass } from '../core/run/classify-error.ts'
import type { EffectReport } from '../ports/engine.ts'
import type { InboxInsert, RunRef, RunStore } from '../ports/run-store.ts'
import type { ChildEnd } from './inbox-input.ts'
import type { DecisionRound } from './decision-round.ts'
import type { LoadedRun } from './load-run.ts'
import { sha256Bytes } from './sha256.ts'

const SLOTS_TOLD = 10

/** First 16 bytes of SHA-256(`child|runId|slot|attempt`) with the bits of a version 4 UUID (P-29). */
export function childRunId(runId: string, slot: string, attempt: number): string {
  return derivedRunId(`child|${runId}|${slot}|${attempt}`)
}

export function derivedRunId(text: string): string {
  const bytes = sha256Bytes(text).slice(0, 16)
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = Buffer.from(bytes).toString('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`
}

export function childEndNotice(run: LoadedRun, round: DecisionRound): readonly { run: RunRef; row: InboxInsert }[] {
  const { parent } = run.row
  if (parent === undefined) return []
  const last = round.drafts.find(({ draft }) => draft.eventType === 'RunCompleted')?.draft
  const outputRef = (last?.payload as { outputRef?: ChildEnd['outputRef'] } | undefined)?.outputRef
  const status = round.state.status as ChildEnd['status']
  const failed = round.drafts.find(({ draft }) => draft.eventType === 'RunFailed')?.draft
  const { error, compensation } = (failed?.payload ?? {}) as Partial<Payload<'RunFailed'>>
  const notUndone = (compensation?.actions ?? []).filter(({ result }) => result !== 'undone').map(({ slot }) => slot)
  const body: ChildEnd = {
    slot: parent.slot,
    attempt: parent.attempt,
    childRunId: run.identity.runId,
    ...(run.row.runKey < 0 ? {} : { childRunKey: run.row.runKey }),
    status,
    ...(last?.data?.output === undefined ? {} : { output: last.data.output }),
    ...(outputRef === undefined ? {} : { outputRef }),
    ...(error === undefined ? {} : { errorCode: error.code, errorClass: error.errorClass }),
    ...(notUndone.length === 0 ? {} : { notUndone: notUndone.slice(0, SLOTS_TOLD) }),
  }
  const row = { inboxId: `child:${run.identity.runId}`, kind: 'child', body: JSON.stringify(body) }
  return [{ run: { tenantId: run.identity.tenantId, runId: parent.runId }, row }]
}

/** A child's end as the report of its parent's plan step: a success goes the way of every output. */
export async function childReport(store: RunStore, end: ChildEnd): Promise<EffectReport> {
  const base = { slot: end.slot, attempt: end.attempt, engineAttempt: 1 }
  if (end.status === 'COMPLETED') {
    return {
      ...base,
      result: { kind: 'completed', output: await childOutput(store, end), artifactRefs: [], durationMs: 0 },
    }
  }
  return { ...base, result: { kind: 'failed', thrown: null, described: describedEnd(end), durationMs: 0 } }
}

type Described = NonNullable<Extract<EffectReport['result'], { kind: 'failed' }>['described']>

function describedEnd(end: ChildEnd): Described {
  const { childRunId: id, slot, status, errorCode = 'unknown' } = end
  if (slot.startsWith(compensationSlot(''))) {
    const left = end.notUndone === undefined ? '' : `: ${end.notUndone.join(', ')}`
    const error = { code: 'COMPENSATION_INCOMPLETE', ...describeClass('permanent') }
    return { error, errorText: { message: `run ${id} could not undo everything${left}` } }
  }
  if (status === 'CANCELLED')
    return {
      error: { code: 'CHILD_CANCELLED', ...describeClass('permanent') },
      errorText: { message: `child run ${id} was cancelled` },
    }
  const error = { code: 'CHILD_FAILED', ...describeClass(classOfEnd(end)) }
  return { error, errorText: { message: `child run ${id} failed: ${errorCode}` } }
}

/** A child that failed for good fails again when it is tried again; what it undid or was told to stop, too. */
function classOfEnd({ errorClass }: ChildEnd): ErrorClass {
  if (errorClass === undefined || describeClass(errorClass).retryable) return 'unknown'
  return errorClass === 'cancelled' ? 'permanent' : errorClass
}

async function childOutput(store: RunStore, end: ChildEnd): Promise<unknown> {
  if (end.outputRef === undefined || end.childRunKey === undefined) return end.output ?? null
  const text = await store.getBlob(end.childRunKey, end.outputRef.sha256)
  return text === undefined ? null : (JSON.parse(text) as unknown)
}
