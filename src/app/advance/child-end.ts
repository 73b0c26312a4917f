/**
 * How a child run's end reaches its parent: a row for the parent's inbox in the child's terminal append, and its
 * reading as the outcome of the parent's plan step (P-29).
 */
import type { ErrorClass, Payload } from '../../core/events/event.ts'
import { compensationSlot } from '../../core/events/slot.ts'
import { describeClass } from '../../core/run/failure/classify-error.ts'
import { toldPeople } from '../../core/run/people/duties.ts'
import type { InputBody } from '../../core/run/input.ts'
import type { EffectOutcome } from '../../ports/engine.ts'
import type { InboxInsert, RunRef, RunRow, RunStore } from '../../ports/run-store.ts'
import type { ChildEnd } from '../inbox/input.ts'
import type { DecisionRound } from './decision-round.ts'
import type { LoadedRun } from '../loaded/load-run.ts'

const SLOTS_TOLD = 10

type Notice = { readonly run: RunRef; readonly row: InboxInsert }
type EndOf = Omit<ChildEnd, 'slot' | 'attempt' | 'childRunId' | 'childRunKey'>

export function childEndNotice({ row }: LoadedRun, round: DecisionRound): readonly Notice[] {
  if (row.parent === undefined) return []
  const last = round.drafts.find(({ draft }) => draft.eventType === 'RunCompleted')?.draft
  const outputRef = (last?.payload as { outputRef?: ChildEnd['outputRef'] } | undefined)?.outputRef
  const status = round.state.status as ChildEnd['status']
  const failed = round.drafts.find(({ draft }) => draft.eventType === 'RunFailed')?.draft
  const { error, compensation } = (failed?.payload ?? {}) as Partial<Payload<'RunFailed'>>
  const notUndone = (compensation?.actions ?? []).filter(({ result }) => result !== 'undone').map(({ slot }) => slot)
  return noticeToParent(row, {
    status,
    ...(last?.data?.output === undefined ? {} : { output: last.data.output }),
    ...(outputRef === undefined ? {} : { outputRef }),
    ...(error === undefined ? {} : { errorCode: error.code, errorClass: error.errorClass }),
    people: toldPeople(round.state.people),
    ...(notUndone.length === 0 ? {} : { notUndone: notUndone.slice(0, SLOTS_TOLD) }),
  })
}

/** Every append that ends a child run has it: nobody else tells the parent, which would wait for ever. */
export function noticeToParent({ tenantId, runId, runKey, parent }: RunRow, end: EndOf): readonly Notice[] {
  if (parent === undefined) return []
  const { slot, attempt } = parent
  const body: ChildEnd = { slot, attempt, childRunId: runId, ...(runKey < 0 ? {} : { childRunKey: runKey }), ...end }
  const row = { inboxId: `child:${runId}`, kind: 'child', body: JSON.stringify(body) }
  return [{ run: { tenantId, runId: parent.runId }, row }]
}

/** A child's end as the report of its parent's plan step: a success goes the way of every output. */
export async function childReport(store: RunStore, end: ChildEnd): Promise<EffectOutcome> {
  const base = { slot: end.slot, attempt: end.attempt, engineAttempt: 1 }
  if (end.status === 'COMPLETED') {
    return {
      ...base,
      result: { kind: 'completed', output: await childOutput(store, end), artifactRefs: [], durationMs: 0 },
    }
  }
  return { ...base, result: { kind: 'failed', thrown: null, described: describedEnd(end), durationMs: 0 } }
}

type Described = NonNullable<Extract<EffectOutcome['result'], { kind: 'failed' }>['described']>

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

/** A retry would fail again where the child failed for good, undid its work, or was told to stop. */
function classOfEnd({ errorClass }: ChildEnd): ErrorClass {
  if (errorClass === undefined || describeClass(errorClass).retryable) return 'unknown'
  return errorClass === 'cancelled' ? 'permanent' : errorClass
}

async function childOutput(store: RunStore, end: ChildEnd): Promise<unknown> {
  if (end.outputRef === undefined || end.childRunKey === undefined) return end.output ?? null
  const text = await store.getBlob(end.childRunKey, end.outputRef.sha256)
  return text === undefined ? null : (JSON.parse(text) as unknown)
}

/** The outcome of the plan step, with who did what in the child. */
export function endOfChild(
  { slot, attempt, outcome }: Extract<InputBody, { kind: 'outcome' }>,
  { childRunId: id, people }: ChildEnd,
): InputBody {
  return { kind: 'child', slot, attempt, outcome, childRunId: id, ...(people === undefined ? {} : { people }) }
}
