/**
 * What a fork takes over of a step's captures: the recorded deltas, replayed over the variables of the new run in the
 * order in which results are taken over, so that its context is the fold of its own log (P-16, DFL-10). A fan-out's
 * items have no events in the new run, so their writes are recorded with the step as final values.
 */
import { unwrap } from '../../core/result.ts'
import type { LogRecord, Payload } from '../../core/events/event.ts'
import type { Json } from '../../core/plan/plan.ts'
import { fail } from '../../core/problems/problem.ts'
import type { ReusedResult } from '../../core/run/input.ts'
import type { RunKey, RunStore } from '../../ports/run-store.ts'
import { recordedForm, replayCaptures, variableOf, type RecordedCapture } from '../values/capture-output.ts'
import type { Blob } from '../values/offload.ts'
import type { ContextChange, ContextVariables } from '../values/run-context.ts'
import { dataOf, readBlob } from '../values/read-results.ts'

/** One capture from the old log, of the step itself or of one of its items. */
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

export function capturesOf(record: LogRecord): readonly OldCapture[] {
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

/** Refused when the variables of the new plan have another shape than the deltas. */
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
  const after = unwrap(replayCaptures(context, captures, values))
  const variables = [...new Set(captures.map(({ path }) => variableOf(path)))]
  const writes = variables.map((variable) => ({ variable, value: after[variable] as Json }))
  const form = recorded.some(({ isItem }) => isItem)
    ? recordedForm(
        writes.map(({ variable }) => ({ path: variable, mode: 'replace' })),
        writes.map(({ value }) => value),
      )
    : recordedForm(captures, values)
  return { ...form, writes, context: after }
}
