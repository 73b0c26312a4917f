/**
 * Where outputs lie: the fold keeps the seq of each step's last StepCompleted, and the output is what that event says. It
 * is read from the append in the making when it is one of its own, and else from the log; a fan-out's output is the list
 * of its items' outputs by index (P-43).
 */
import { vectorGet } from '../core/collections/vector.ts'
import { fail } from '../core/problems/problem.ts'
import type { RunState, Unit } from '../core/run/state.ts'
import { slotOfUnit, stepUnit } from '../core/run/units.ts'
import type { RunKey } from '../ports/run-store.ts'
import type { AppendValues } from './append-values.ts'
import { fanListName, type CommittedValues } from './committed-values.ts'
import type { LoadedRun } from './load-run.ts'
import { dataOf, readBlob, readRecord, readResults, type LogSource, type ValueStore } from './read-results.ts'

/** What of a loaded run its values are read by. */
export interface ValuedRun extends Pick<LoadedRun, 'identity' | 'plan' | 'state' | 'values'> {
  readonly row: { readonly runKey: RunKey }
}

/** `upTo` hides what was recorded later: a re-dispatch must not see more than the first dispatch did (P-17). */
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
  // Its items are no output before all of them are done.
  if (unit.status !== 'SUCCESS' || unit.outputSeq > upTo) return null
  return fanOutput(outputs, unit, unit.fan)
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

/** Seq at which this unit's output lies, its fallback's when that saved it; 0 when it has none. */
function outputSeq(state: RunState, unit: Unit, fallback: number): number {
  const done = unit.recovered ? vectorGet(state.units, fallback) : unit
  if (done !== undefined && (done.outputSeq > 0 || done.status !== 'SUCCESS')) return done.outputSeq
  return fail('RUN_QUARANTINED', `${slotOfUnit(state.graph, unit)} succeeded, and the fold does not know where`)
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
  return fail('RUN_QUARANTINED', `${slot} has no output, and its fan-out succeeded`)
}

/** The run's input: `data.input` of its first event, or the blob it names. */
export function runInput(store: ValueStore, run: ValuedRun): Promise<unknown> {
  return run.values.input(async () => {
    const log = logOf(store, run)
    const record = await readRecord(log, 1, 'RunQueued', 'RunValidated', 'RunApproved')
    const ref = record.payload?.['inputRef'] as { readonly sha256: string } | undefined
    // A run that was started without one has an empty input.
    return ref === undefined ? (dataOf(record)['input'] ?? {}) : readBlob(log, ref.sha256)
  })
}
