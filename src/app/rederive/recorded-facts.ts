/**
 * Reads the facts and grants of a recorded decision back from the events they decided (P-05, P-19). A slot that wants
 * units and has no StepStarted was held: the run's own log does not say who else had them.
 */
import type { LogRecord, Payload } from '../../core/events/event.ts'
import type { PlanGraph } from '../../core/plan/compile/graph.ts'
import type { GrantsAtHand, Need, SlotFacts } from '../../core/run/input.ts'
import { msFromIso } from '../../core/time.ts'
import { recordedSlot } from './recorded-decision.ts'
import { isErased } from '../log/erased-data.ts'

type Fields = Readonly<Record<string, unknown>>

/** Answers to as many needs as the following events show; a need that is not among them was not answered. */
export function recordedFacts(
  needs: readonly Need[],
  rest: readonly LogRecord[],
  graph: PlanGraph,
): ReadonlyMap<string, SlotFacts> {
  const facts = new Map<string, SlotFacts>()
  for (const need of needs) {
    const found = need.kind === 'output' ? outputFacts(rest) : stepFacts(need, rest, graph)
    if (found !== undefined) facts.set(need.slot, found)
  }
  return facts
}

/** The event that shows the answer to a need; undefined when only a missing event shows it. */
export function factsCarrier(need: Need, rest: readonly LogRecord[]): LogRecord | undefined {
  if (need.kind === 'output')
    return rest.find((one) => one.eventType === 'RunCompleted' || one.eventType === 'RunFailed')
  const first = rest.find((one) => recordedSlot(one) === need.slot)
  return first?.eventType === 'StepSkipped' || first?.eventType === 'StepStarted' ? first : undefined
}

function outputFacts(rest: readonly LogRecord[]): SlotFacts | undefined {
  const end = rest.find((one) => one.eventType === 'RunCompleted' || one.eventType === 'RunFailed')
  // The output could not be made, or nothing would have been undone: the end reports what was wrong with it.
  if (end === undefined)
    return rest.some((one) => one.eventType === 'CompensationStarted')
      ? { problem: { code: '', message: '' } }
      : undefined
  if (end.eventType === 'RunFailed') return { problem: problemOf(end) }
  const output = end.data?.['output']
  const { outputRef } = (end.payload ?? {}) as Payload<'RunCompleted'>
  return { ...(output === undefined ? {} : { output }), ...(outputRef === undefined ? {} : { outputRef }) }
}

type StepNeed = Extract<Need, { kind: 'step' }>

function stepFacts(need: StepNeed, rest: readonly LogRecord[], graph: PlanGraph): SlotFacts | undefined {
  const own = rest.filter((one) => recordedSlot(one) === need.slot)
  const [first, second] = own
  if (first?.eventType === 'StepSkipped') return erasable(first, { condition: false })
  if (first?.eventType !== 'StepStarted') return heldFacts(need, graph)
  // A fan-out whose items failed at once failed because of them, after its expansion.
  const failed = second?.eventType === 'StepFailed' ? second : undefined
  const problem = failed !== undefined && failedByFacts(failed) ? { problem: problemOf(failed) } : {}
  return { ...erasable(first, rebuilt(need, first, own)), ...problem }
}

/** A step may also be stopped in the decision that started it: by another one that failed at once. */
function failedByFacts({ payload = {} }: LogRecord): boolean {
  const { forced, error } = payload as Partial<Payload<'StepFailed'>>
  return forced === true && error?.errorClass !== 'cancelled'
}

/** Its condition was true, or it would have been skipped; then it waited for its grant. */
function heldFacts(need: StepNeed, graph: PlanGraph): SlotFacts | undefined {
  const wants = graph.wants[graph.indexOf.get(need.stepId) ?? -1]
  return wants !== undefined && !need.items ? { condition: true } : undefined
}

function problemOf(record: LogRecord): { readonly code: string; readonly message: string } {
  const error = record.payload?.['error'] as { readonly code?: string } | undefined
  const text = record.data?.['errorText'] as { readonly message?: string } | undefined
  return { code: error?.code ?? '', message: text?.message ?? '' }
}

function erasable(record: LogRecord, otherwise: SlotFacts): SlotFacts {
  const facts = record.data?.['facts']
  if (typeof facts === 'object' && facts !== null) return facts as SlotFacts
  return isErased(record) ? otherwise : {}
}

/** After erasure: the structural payloads show what the facts led to. */
function rebuilt(need: StepNeed, started: LogRecord, own: readonly LogRecord[]): SlotFacts {
  const items = own.find((one) => one.eventType === 'FanOutExpanded')?.payload as SlotFacts['items']
  const { waitForMs, waitUntil } = (started.payload ?? {}) as Payload<'StepStarted'>
  const until = msFromIso(waitUntil ?? '')
  return {
    ...(need.condition ? { condition: true } : {}),
    ...(need.items && items !== undefined ? { items } : {}),
    ...(need.wait && waitForMs !== undefined ? { waitForMs } : {}),
    ...(need.wait && until !== undefined ? { waitUntil: until } : {}),
  }
}

/** Undefined for a plan that claims nothing. */
export function recordedGrants(records: readonly LogRecord[], graph: PlanGraph): GrantsAtHand | undefined {
  if (!graph.anyWants) return undefined
  const held = new Map<string, number>()
  for (const wants of graph.wants) for (const pool of Object.keys(wants?.step ?? {})) held.set(pool, 1)
  const tried = new Set<string>()
  const impossible = new Map<string, string>()
  for (const record of records) {
    const slot = recordedSlot(record)
    if (record.eventType === 'StepStarted') tried.add(slot)
    if (record.eventType === 'StepFailed' && isRefusedForGood(record.payload ?? {}))
      impossible.set(slot, problemOf(record).message)
  }
  return { held, tried, impossible }
}

function isRefusedForGood(payload: Fields): boolean {
  const error = payload['error'] as { readonly code?: string } | undefined
  return payload['forced'] === true && error?.code === 'RESOURCE_EXCEEDED'
}
