/**
 * Where outputs are: the fold keeps the seq of each step's last StepCompleted, and that event holds the output. It is
 * read from the append in progress if it is part of that, otherwise from the log; a fan-out's output is the list of its
 * items' outputs by index (P-43).
 */
import { vectorGet } from '../../core/collections/vector.ts'
import { fail } from '../../core/problems/problem.ts'
import type { RunState } from '../../core/run/state/state.ts'
import type { Unit } from '../../core/run/state/unit.ts'
import { slotOfUnit, stepUnit } from '../../core/run/state/units.ts'
import type { RunKey } from '../../ports/run-store.ts'
import type { StepEnd } from '../expressions/expressions.ts'
import type { AppendValues } from '../values/appended.ts'
import { fanListName, type CommittedValues } from '../values/committed.ts'
import type { LoadedRun } from './load-run.ts'
import { dataOf, readBlob, readRecord, readResults, type LogSource, type ValueStore } from '../values/read-results.ts'

/** The part of a loaded run that is needed to read its values. */
export interface ValuedRun extends Pick<LoadedRun, 'identity' | 'plan' | 'state' | 'values'> {
  readonly row: { readonly runKey: RunKey }
}

/** `upTo` hides what was recorded later: a second dispatch must not see more than the first did (P-17). */
export async function stepOutput(
  store: ValueStore,
  run: ValuedRun,
  state: RunState,
  stepId: string,
  upTo = Infinity,
  append?: AppendValues,
): Promise<unknown> {
  const index = state.graph.indexOf.get(stepId)
  if (index === undefined) return fail('STEP_UNKNOWN', `the plan has no step '${stepId}'`)
  const unit = stepUnit(state, index)
  const outputs: Outputs = { log: logOf(store, run), values: run.values, state, append }
  if (unit.fan === undefined) {
    const seq = outputSeq(state, unit, state.graph.fallbackIndex[index] ?? -1)
    return seq === 0 || seq > upTo ? null : outputAt(outputs, seq)
  }
  // The items are no output before all of them are done.
  if (unit.status !== 'SUCCESS' || unit.outputSeq > upTo) return null
  return fanOutput(outputs, unit, unit.fan)
}

/** Where the outputs of these steps are in the log; those of items are left out, because a list is read in pages by itself. */
export function* outputSeqs(state: RunState, stepIds: Iterable<string>): Generator<number> {
  for (const stepId of stepIds) {
    const index = state.graph.indexOf.get(stepId)
    const unit = index === undefined ? undefined : stepUnit(state, index)
    if (index === undefined || unit === undefined || unit.fan !== undefined) continue
    const seq = outputSeq(state, unit, state.graph.fallbackIndex[index] ?? -1)
    if (seq > 0) yield seq
  }
}

/** How a step had ended, for expressions that read `steps.x.status` or `steps.x.error.code`. */
export function stepEnd(state: RunState, stepId: string, upTo = Infinity): StepEnd {
  const index = state.graph.indexOf.get(stepId)
  if (index === undefined) return fail('STEP_UNKNOWN', `the plan has no step '${stepId}'`)
  const unit = stepUnit(state, index)
  const status = statusAt(unit, upTo)
  return { status, error: status === 'FAILED' ? { code: unit.errorCode } : null }
}

function statusAt(unit: Unit, upTo: number): StepEnd['status'] {
  const { status, failedSeq, startedSeq, backoff, fallbackOpen } = unit
  if (status === 'SKIPPED' || status === 'PENDING') return status
  const changedSeq = status === 'SUCCESS' ? unit.outputSeq : status === 'FAILED' ? failedSeq : startedSeq
  // What a person had tried again after it had failed, and others had gone on.
  if (changedSeq > upTo) return failedSeq > 0 && failedSeq <= upTo ? 'FAILED' : 'PENDING'
  return backoff || fallbackOpen ? 'RUNNING' : status
}

/** The output of one unit: of an item alone, or of a fallback. Null when it has none. */
export async function unitOutput(store: ValueStore, run: ValuedRun, unit: Unit): Promise<unknown> {
  const outputs: Outputs = { log: logOf(store, run), values: run.values, state: run.state, append: undefined }
  return unit.outputSeq === 0 ? null : outputAt(outputs, unit.outputSeq)
}

export function logOf(store: ValueStore, { row, state }: Pick<ValuedRun, 'row' | 'state'>): LogSource {
  return { store, runKey: row.runKey, erased: state.erasures > 0 }
}

interface Outputs {
  readonly log: LogSource
  readonly values: CommittedValues
  readonly state: RunState
  readonly append: AppendValues | undefined
}

/** Seq of this unit's output, or of its fallback's when that saved it; 0 when it has none. */
function outputSeq(state: RunState, unit: Unit, fallback: number): number {
  // A failure that the plan handles has no fallback that succeeded, and no output; its fallback may not even have begun.
  const saved = unit.recovered && fallback >= 0 ? vectorGet(state.units, fallback) : undefined
  const done = saved?.status === 'SUCCESS' ? saved : unit
  if (done.outputSeq > 0 || done.status !== 'SUCCESS') return done.outputSeq
  return fail('RUN_QUARANTINED', `no event is known for the success of ${slotOfUnit(state.graph, unit)}`)
}

function outputAt({ log, values, append }: Outputs, seq: number): Promise<unknown> | unknown {
  if (append?.holds(seq) === true) return append.output(seq)
  return values.output(seq, async () => (await readResults(log, [seq])).get(seq))
}

function fanOutput(outputs: Outputs, parent: Unit, fan: NonNullable<Unit['fan']>): Promise<readonly unknown[]> {
  const { append, values } = outputs
  const read = (): Promise<readonly unknown[]> => readItems(outputs, parent, fan)
  return append?.holds(parent.outputSeq) === true
    ? append.list(parent.outputSeq, read)
    : values.list(fanListName(parent.outputSeq), read)
}

async function readItems(outputs: Outputs, parent: Unit, fan: NonNullable<Unit['fan']>): Promise<readonly unknown[]> {
  const { log, values, state, append } = outputs
  const seqs = Array.from({ length: fan.count }, (_, item) => itemSeq(state, parent, fan, item))
  const committed = seqs.filter((seq) => append?.holds(seq) !== true)
  const known = new Map<number, Promise<unknown>>()
  for (const seq of committed) {
    const value = values.known(seq)
    if (value !== undefined) known.set(seq, value)
  }
  const unknown = committed.filter((seq) => !known.has(seq))
  const read = unknown.length === 0 ? new Map<number, unknown>() : await readResults(log, unknown)
  const list: unknown[] = []
  for (const seq of seqs) {
    if (append?.holds(seq) === true) list.push(append.output(seq))
    else list.push(read.has(seq) ? read.get(seq) : await known.get(seq))
  }
  return list
}

function itemSeq(state: RunState, parent: Unit, fan: NonNullable<Unit['fan']>, item: number): number {
  const unit = vectorGet(state.units, fan.base + item)
  const seq = unit === undefined ? 0 : outputSeq(state, unit, fan.fallbackBase < 0 ? -1 : fan.fallbackBase + item)
  if (seq > 0) return seq
  const slot = slotOfUnit(state.graph, { ...parent, item })
  return fail('RUN_QUARANTINED', `${slot} has no output, but its fan-out succeeded`)
}

/** The run's input: `data.input` of its first event, or the blob it names. */
export function runInput(store: ValueStore, run: ValuedRun): Promise<unknown> {
  return run.values.input(async () => {
    const log = logOf(store, run)
    const record = await readRecord(log, 1, 'RunQueued', 'RunValidated', 'RunApproved')
    const ref = record.payload?.['inputRef'] as { readonly sha256: string } | undefined
    // A run that was started without an input has an empty one.
    return ref === undefined ? (dataOf(record)['input'] ?? {}) : readBlob(log, ref.sha256)
  })
}
