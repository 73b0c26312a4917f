/**
 * The first event in which two runs differ in meaning. Events are compared slot by slot, because what happens side by side may come in
 * any order; ids, times and what an engine says of itself do not count. What a run was started with is compared by itself, and a
 * result that one of them took over from another run counts by its value alone.
 */
import { canonicalEvent, type CanonicalEvent, type Names } from '../../../src/core/conformance/canonical-event.ts'
import { planStepOf, stepSlotOf } from '../../../src/core/events/slot-of.ts'
import type { LogRecord } from '../../../src/core/events/event.ts'
import type { Json } from '../../../src/core/plan/plan.ts'
import { diffValues } from '../../../src/core/plan/write/diff-plans.ts'

export interface EventDifference {
  readonly what: string
  readonly left?: LogRecord
  readonly right?: LogRecord
}

/** How a run came to be, and what was done to its log: not what it did. */
const APART: ReadonlySet<string> = new Set([
  'RunQueued',
  'RunValidated',
  'RunApproved',
  'RunStarted',
  'RunForked',
  'EngineHandoff',
  'RulesUpgraded',
  'ErasureRecorded',
])

interface Placed {
  readonly record: LogRecord
  readonly event: CanonicalEvent
  readonly at: number
}

type Slots = ReadonlyMap<string, readonly Placed[]>

export function firstDifference(left: readonly LogRecord[], right: readonly LogRecord[]): EventDifference | undefined {
  const taken = new Set([...takenSteps(left), ...takenSteps(right)])
  const [ours, theirs] = [slotsOf(left, taken), slotsOf(right, taken)]
  let first: { readonly at: number; readonly difference: EventDifference } | undefined
  for (const slot of new Set([...ours.keys(), ...theirs.keys()])) {
    const found = inSlot(ours.get(slot) ?? [], theirs.get(slot) ?? [])
    if (found !== undefined && (first === undefined || found.at < first.at)) first = found
  }
  return first?.difference
}

function inSlot(
  ours: readonly Placed[],
  theirs: readonly Placed[],
): { readonly at: number; readonly difference: EventDifference } | undefined {
  for (let index = 0; index < Math.max(ours.length, theirs.length); index += 1) {
    const [one, other] = [ours[index], theirs[index]]
    const what = differs(one?.event, other?.event)
    if (what === undefined) continue
    const sides = {
      ...(one === undefined ? {} : { left: one.record }),
      ...(other === undefined ? {} : { right: other.record }),
    }
    return { at: Math.min(one?.at ?? Infinity, other?.at ?? Infinity), difference: { what, ...sides } }
  }
  return undefined
}

function differs(one: CanonicalEvent | undefined, other: CanonicalEvent | undefined): string | undefined {
  if (one === undefined || other === undefined) return 'it happened in one of them only'
  if (one.eventType !== other.eventType) return `${one.eventType} here, ${other.eventType} there`
  if (one.attempt !== other.attempt) return `attempt ${one.attempt} here, attempt ${other.attempt} there`
  const of = ({ causedBy, payload, data }: CanonicalEvent): object => ({ causedBy, payload, data })
  const [field] = diffValues(of(one), of(other), '')
  return field === undefined
    ? undefined
    : `they differ in ${field.path}: ${cut(field.from)} here, ${cut(field.to)} there`
}

const SHOWN_CHARS = 80

function cut(value: unknown): string {
  if (value === undefined) return 'nothing'
  const text = JSON.stringify(value)
  return text.length <= SHOWN_CHARS ? text : `${text.slice(0, SHOWN_CHARS)}…`
}

/** Steps whose result was taken over from another run. */
export function takenSteps(records: readonly LogRecord[]): readonly string[] {
  return records.flatMap((record) => {
    const step = record.payload?.['reusedFrom'] === undefined ? undefined : planStepOf(record)
    return step === undefined ? [] : [step]
  })
}

function slotsOf(records: readonly LogRecord[], taken: ReadonlySet<string>): Slots {
  const names = namesIn(records)
  const slots = new Map<string, Placed[]>()
  for (const [at, record] of records.entries()) {
    const event = comparedOf(record, names, taken)
    if (event === undefined) continue
    const own = slots.get(event.slot)
    if (own === undefined) slots.set(event.slot, [{ record, event, at }])
    else own.push({ record, event, at })
  }
  return slots
}

/** Undefined: it is not compared. */
function comparedOf(record: LogRecord, names: Names, taken: ReadonlySet<string>): CanonicalEvent | undefined {
  if (APART.has(record.eventType)) return undefined
  const step = planStepOf(record)
  const event = canonicalEvent(record, names)
  if (step === undefined || !taken.has(step)) return event
  if (record.eventType !== 'StepCompleted' || stepSlotOf(record) !== step) return undefined
  const result = (record.data as { readonly [name: string]: Json } | undefined)?.['result']
  // A fan-out has its result in its items, and a long one lies beside the log.
  if (result === undefined) return undefined
  return { eventType: event.eventType, slot: event.slot, attempt: 1, payload: {}, data: { result } }
}

/** Ids of the run and of its signals, by what they are: in another run they are others. */
function namesIn(records: readonly LogRecord[]): Names {
  const names = new Map<string, string>()
  for (const { runId, payload } of records) {
    names.set(runId, 'run')
    const signalId = payload?.['signalId']
    if (typeof signalId === 'string' && !names.has(signalId)) names.set(signalId, `signal${names.size}`)
  }
  return names
}
