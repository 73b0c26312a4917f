/**
 * Evaluates what a decision asked for: conditions, forEach lists, waits, texts for people and the run's output, over the
 * context as the append in the making will leave it (P-05, P-07). A value that cannot be had is a fact too: it fails the
 * step.
 */
import { LIMITS } from '../../core/limits.ts'
import type { SentEvent } from '../../core/events/sent-event.ts'
import { eventOf, itemsOf, type Json, type Step } from '../../core/plan/plan.ts'
import { ok, type Result } from '../../core/result.ts'
import type { Need, SlotFacts } from '../../core/run/input.ts'
import type { RunState } from '../../core/run/state/state.ts'
import { locate, stepAt, stepUnit } from '../../core/run/state/units.ts'
import { msFromIso } from '../../core/time.ts'
import { canonicalText } from '../log/canonical.ts'
import { ExpressionBudget } from '../expressions/budget.ts'
import { evaluate, expressionNeeds, isTrue } from '../expressions/expressions.ts'
import { taskTexts } from '../loaded/manual-fields.ts'
import { mappingNeeds, mapValue } from '../expressions/map-input.ts'
import type { BlobStore } from '../values/read-results.ts'
import type { RootsAt } from '../loaded/slot-roots.ts'
import { slotRoots } from '../loaded/slot-roots.ts'
import { sha256Hex } from '../log/sha256.ts'

/** Lists and large outputs are put away before the event that names them is written. */
type Asked = Omit<RootsAt, 'unit'> & { readonly store: BlobStore }
type At = Asked & { readonly meter: ExpressionBudget }
type AtUnit = RootsAt & At

/** Whether an event that came is what a step waits for: nobody asks for it in advance. */
interface MatchQuestion {
  readonly kind: 'match'
  readonly slot: string
  readonly event: SentEvent
}
export type Question = Need | MatchQuestion

/**
 * A decision may ask for many thousands of values, each of which may cost as much as an expression may. Nothing is refused for
 * that, or a verdict would depend on who asks beside whom: the loop is given to others now and then.
 */
export async function evaluateNeeds(needs: readonly Question[], asked: Asked): Promise<ReadonlyMap<string, SlotFacts>> {
  const facts = new Map<string, SlotFacts>()
  const meter = ExpressionBudget.meter()
  const at = { ...asked, meter }
  let rested = 0
  for (const need of needs) {
    facts.set(need.slot, await factsOf(need, at))
    if (meter.work - rested < LIMITS.expressionWork) continue
    rested = meter.work
    await new Promise((resolve) => void setImmediate(resolve))
  }
  return facts
}

function factsOf(need: Question, at: At): Promise<SlotFacts> {
  if (need.kind === 'output') return outputFacts(at)
  return need.kind === 'match' ? matchFacts(need, at) : stepFacts(need, at)
}

/** An expression that cannot be evaluated over this event leaves the wait open, as one that is false does. */
async function matchFacts({ slot, event }: MatchQuestion, at: At): Promise<SlotFacts> {
  const unit = locate(at.state, slot)?.unit
  const match = unit === undefined ? undefined : eventOf(stepAt(at.state.graph, unit.step))?.match
  if (unit === undefined || match === undefined) return {}
  const found = await truth(match, { ...at, unit, event })
  return { match: found.ok && found.value }
}

type StepNeed = Extract<Need, { kind: 'step' }>

async function stepFacts(need: StepNeed, at: At): Promise<SlotFacts> {
  const index = at.state.graph.indexOf.get(need.stepId) ?? 0
  const step = stepAt(at.state.graph, index)
  const unit = locate(at.state, need.slot)?.unit ?? stepUnit(at.state, index)
  const here: AtUnit = { ...at, unit }
  let facts: SlotFacts = {}
  if (need.condition) {
    const condition = await conditionOf(step, here)
    if (!condition.ok) return problemFacts(condition)
    facts = { ...facts, condition: condition.value }
    if (!condition.value) return facts
  }
  if (need.items) {
    const items = await listOf(step, here)
    if (!items.ok) return { ...facts, ...problemFacts(items) }
    facts = { ...facts, items: items.value }
  }
  if (need.manual) return { ...facts, ...(await manualFacts(step, here)) }
  return need.wait ? { ...facts, ...(await waitFacts(step, here)) } : facts
}

/** The texts themselves are derived whenever a task is shown; that they cannot be is what decides. */
async function manualFacts(step: Step, at: RootsAt): Promise<SlotFacts> {
  const texts = 'manual' in step ? await taskTexts(step.manual, { ...at, attempt: at.unit.attempt + 1 }) : ok(undefined)
  return texts.ok ? {} : problemFacts(asRefusal(`the task '${step.stepId}': ${firstMessage(texts)}`))
}

function firstMessage({ problems }: Extract<Result<never>, { ok: false }>): string {
  return problems[0].message
}

function problemFacts(refusal: Extract<Result<never>, { ok: false }>): SlotFacts {
  const [first] = refusal.problems
  return { problem: { code: first?.code ?? 'INPUT_INVALID', message: first?.message ?? 'the expression was refused' } }
}

async function conditionOf(step: Step, at: AtUnit): Promise<Result<boolean>> {
  const wanted = step.if === undefined ? ok(true) : await truth(step.if, at)
  if (!wanted.ok || !wanted.value || step.unless === undefined) return wanted
  const unwanted = await truth(step.unless, at)
  return unwanted.ok ? ok(!unwanted.value) : unwanted
}

async function truth(expression: string, at: AtUnit): Promise<Result<boolean>> {
  const value = await evaluateAt(expression, at)
  return value.ok ? ok(isTrue(value.value)) : value
}

async function evaluateAt(expression: string, at: AtUnit): Promise<Result<unknown>> {
  const needs = expressionNeeds(expression)
  return needs.ok ? evaluate(expression, await slotRoots(at, needs.value), at.meter) : needs
}

async function listOf(step: Step, at: AtUnit): Promise<Result<NonNullable<SlotFacts['items']>>> {
  const value = await evaluateAt(itemsOf(step.forEach ?? 'null'), at)
  if (!value.ok) return value
  const items = value.value
  if (!Array.isArray(items))
    return invalid(`forEach of '${step.stepId}' gives ${items === null ? 'null' : `a ${typeof items}`}, not a list`)
  if (items.length > LIMITS.fanOutItems)
    return invalid(`forEach of '${step.stepId}' gives ${items.length} items; at most ${LIMITS.fanOutItems} are allowed`)
  const text = canonicalText(items)
  const sha256 = sha256Hex(text)
  await at.store.putBlob(at.run.row.runKey, sha256, text)
  return ok({ count: items.length, sha256, ref: `blob:${sha256}` })
}

function invalid(message: string): Result<never> {
  return { ok: false, problems: [{ code: 'INPUT_INVALID', message, retryable: false }] }
}

async function waitFacts(step: Step, at: AtUnit): Promise<SlotFacts> {
  if (!('wait' in step)) return {}
  if ('forEvent' in step.wait) return eventFacts(step, step.wait.key ?? '', at)
  const mapped = await mapAt('forMs' in step.wait ? step.wait.forMs : step.wait.until, at)
  if (!mapped.ok) return problemFacts(mapped)
  const { value } = mapped
  if ('forMs' in step.wait) {
    const usable = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
    return usable
      ? { waitForMs: value }
      : problemFacts(asRefusal(`wait.forMs of '${step.stepId}' is not a whole number of milliseconds`))
  }
  const until = typeof value === 'string' ? msFromIso(value) : undefined
  return until === undefined
    ? problemFacts(asRefusal(`wait.until of '${step.stepId}' is not an RFC 3339 instant`))
    : { waitUntil: until }
}

/** A key that is missing would have all runs that lack it wait for the same event. */
async function eventFacts(step: Step, key: string, at: AtUnit): Promise<SlotFacts> {
  const mapped = await mapAt(key, at)
  if (!mapped.ok) return problemFacts(mapped)
  const { value } = mapped
  const text = typeof value === 'number' ? canonicalText(value) : value
  if (typeof text !== 'string' || text === '')
    return problemFacts(asRefusal(`wait.key of '${step.stepId}' is ${value === null ? 'missing' : 'no text'}`))
  const bytes = Buffer.byteLength(text)
  if (bytes > LIMITS.eventKeyBytes || text.includes('\0'))
    return problemFacts(
      asRefusal(
        `wait.key of '${step.stepId}' has ${bytes} bytes; at most ${LIMITS.eventKeyBytes} are allowed, and no zero`,
      ),
    )
  return { eventKey: text }
}

function asRefusal(message: string): Extract<Result<never>, { ok: false }> {
  return { ok: false, problems: [{ code: 'INPUT_INVALID', message, retryable: false }] }
}

async function mapAt(mapping: Json, at: AtUnit): Promise<Result<Json>> {
  const needs = mappingNeeds(mapping)
  return needs.ok ? mapValue(mapping, await slotRoots(at, needs.value), at.meter) : needs
}

async function outputFacts(at: At): Promise<SlotFacts> {
  const { output } = at.state.graph.plan
  const mapped = await mapAt(output ?? null, { ...at, unit: anyUnit(at.state) })
  if (!mapped.ok) return problemFacts(mapped)
  const text = canonicalText(mapped.value)
  const sizeBytes = Buffer.byteLength(text)
  if (sizeBytes <= LIMITS.inlinePayloadBytes) return { output: mapped.value }
  if (sizeBytes > LIMITS.valueBytes)
    return problemFacts(
      asRefusal(`the output of the run has ${sizeBytes} bytes; at most ${LIMITS.valueBytes} are allowed`),
    )
  const sha256 = sha256Hex(text)
  await at.store.putBlob(at.run.row.runKey, sha256, text)
  return { outputRef: { sha256, sizeBytes } }
}

/** The run's own output has no step of its own: it sees everything but `previous` and `item`. */
function anyUnit(state: RunState): RootsAt['unit'] {
  return { ...stepUnit(state, 0), item: -1 }
}
