/**
 * What a fork takes over of a step's captures: the recorded deltas, replayed over the variables of the new run in the
 * order in which results are taken over, so that its context is the fold of its own log (P-16, DFL-10). A fan-out's items
 * are no events of the new run, so what they wrote stands with the step as the values they left.
 */
import type { ForeignRecord, Payload } from '../core/events/event.ts'
import type { Json } from '../core/plan/plan.ts'
import { fail, KeelsonError, type Problem } from '../core/problems/problem.ts'
import type { ReusedResult } from '../core/run/input.ts'
import type { RunKey, RunStore } from '../ports/run-store.ts'
import { recordedForm, replayCaptures, variableOf, type RecordedCapture } from './capture-output.ts'
import type { Blob } from './offload-value.ts'
import type { ContextChange, ContextVariables } from './run-context.ts'
import { dataOf, readBlob } from './read-results.ts'

/** One capture as the old log has it, of the step itself or of one of its items. */
export interface OldCapture {
  readonly capture: RecordedCapture
  readonly value: unknown
  readonly seq: number
  readonly isItem: boolean
}

export interface TakenCaptures {
  readonly captures: NonNullable<ReusedResult['captures']>
  readonly values: readonly unknown[]
  readonly blobs: readonly Blob[]
  readonly writes: readonly ContextChange[]
  readonly context: ContextVariables
}

export function capturesOf(record: ForeignRecord): readonly OldCapture[] {
  const { captures } = (record.payload ?? {}) as Partial<Payload<'StepCompleted'>>
  if (captures === undefined || captures.length === 0) return []
  const values = (dataOf(record)['captureValues'] ?? []) as readonly unknown[]
  if (values.length !== captures.length)
    fail('RUN_QUARANTINED', `event ${record.runSeq} has ${captures.length} captures and ${values.length} values`)
  return captures.map((capture, index) => ({
    capture,
    value: values[index],
    seq: record.runSeq,
    isItem: record.itemIndex !== undefined,
  }))
}

/** Refused when the new plan's variables are of another shape than the deltas were made for. */
export async function takenCaptures(
  store: RunStore,
  oldRun: RunKey,
  recorded: readonly OldCapture[],
  context: ContextVariables,
): Promise<TakenCaptures> {
  const captures: RecordedCapture[] = []
  const values: unknown[] = []
  for (const { capture, value } of recorded) {
    captures.push({ path: capture.path, mode: capture.mode })
    values.push(
      capture.ref === undefined ? value : await readBlob({ store, runKey: oldRun, erased: false }, capture.ref.sha256),
    )
  }
  const after = replayCaptures(context, captures, values)
  if (!after.ok) throw new KeelsonError(after.problems as readonly [Problem, ...Problem[]])
  const variables = [...new Set(captures.map(({ path }) => variableOf(path)))]
  const writes = variables.map((variable) => ({ variable, value: after.value[variable] as Json }))
  const form = recorded.some(({ isItem }) => isItem)
    ? recordedForm(
        writes.map(({ variable }) => ({ path: variable, mode: 'replace' })),
        writes.map(({ value }) => value),
      )
    : recordedForm(captures, values)
  return { ...form, writes, context: after.value }
}
