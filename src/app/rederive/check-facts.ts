/**
 * Derives the facts of a log again from the values it recorded: conditions, lists, waits, captures, the run's output. A
 * decision may follow from its facts while the facts are wrong; that is found here (P-05). Erased values cannot be
 * compared.
 */
import type { LogRecord, Payload } from '../../core/events/event.ts'
import { parseStepSlot } from '../../core/events/slot.ts'
import { fail, KeelsonError } from '../../core/problems/problem.ts'
import type { SlotFacts } from '../../core/run/input.ts'
import type { RunState } from '../../core/run/state/state.ts'
import { locate } from '../../core/run/state/units.ts'
import { initialState } from '../../core/run/state/initial-state.ts'
import { applyCaptures } from '../values/capture-output.ts'
import { canonicalText } from '../log/canonical.ts'
import { CommittedValues } from '../values/committed.ts'
import { evaluateNeeds, type Question } from '../advance/evaluate-needs.ts'
import { keyOf } from '../loaded/event-waits.ts'
import { identityOf } from '../loaded/load-run.ts'
import type { LoadedPlan } from '../plans/load.ts'
import { recordedSlot } from './recorded-decision.ts'
import { isErased } from '../log/erased-data.ts'
import { RecordedValues, type BlobReader } from '../values/recorded-values.ts'
import type { AskedFacts } from './rederive-decision.ts'
import { dataOf, readResults } from '../values/read-results.ts'
import { logOf, type ValuedRun } from '../loaded/run-outputs.ts'
import { sameFacts, shownFacts, shownValue, sourceOf } from './compare-facts.ts'
import type { StoredEvent } from '../../ports/run-store.ts'

export interface FactDifference {
  readonly code: 'FACT_MISMATCH'
  readonly runSeq: number
  readonly cause: string
  readonly expected: string
  readonly found: string
}

export interface FactReport {
  /** Conditions, lists, waits, captures and outputs that were derived again. */
  readonly checked: number
  /** runSeq of events whose facts can no longer be derived, because values were erased. */
  readonly erased: readonly number[]
  readonly differences: readonly FactDifference[]
}

export interface FactSources {
  readonly events: readonly StoredEvent[]
  readonly records: readonly LogRecord[]
  readonly plan: LoadedPlan
  readonly asked: readonly AskedFacts[]
  readonly blob: BlobReader
}

const DIFFERENCES_MAX = 20

export async function checkFacts(sources: FactSources): Promise<FactReport> {
  const [first] = sources.records
  if (first === undefined) return { checked: 0, erased: [], differences: [] }
  const check = new FactCheck(sources, first)
  await check.all(sources)
  return check.report()
}

class FactCheck {
  readonly #values: RecordedValues
  readonly #run: ValuedRun
  readonly #records: readonly LogRecord[]
  readonly #erased: number[] = []
  readonly #differences: FactDifference[] = []
  #checked = 0

  constructor({ events, records, plan, blob }: FactSources, first: LogRecord) {
    this.#records = records
    const erasures = records.filter(({ eventType }) => eventType === 'ErasureRecorded').length
    this.#values = new RecordedValues({ events, records, initialContext: plan.plan.context, blob }, erasures > 0)
    this.#run = {
      row: { runKey: 0 },
      identity: identityOf(first),
      plan,
      state: { ...initialState(plan.graph), erasures },
      values: new CommittedValues(),
    }
  }

  report(): FactReport {
    return { checked: this.#checked, erased: this.#erased, differences: this.#differences }
  }

  /** In the order of the log: the context is folded along the way. */
  async all({ asked, records }: FactSources): Promise<void> {
    const captures = records.filter((record) => hasOwnCaptures(record, this.#run.plan))
    const all = [
      ...asked.map((one) => ({ seq: one.seq, record: one.record, check: () => this.#fact(one) })),
      ...captures.map((record) => ({ seq: record.runSeq - 1, record, check: () => this.#captured(record) })),
    ].sort((a, b) => a.seq - b.seq)
    for (const { record, check } of all) {
      if (this.#differences.length >= DIFFERENCES_MAX) return
      await this.#guarded(record, check)
    }
  }

  async #guarded(record: LogRecord, check: () => Promise<Unlike | undefined>): Promise<void> {
    if (isErased(record)) return void this.#erased.push(record.runSeq)
    try {
      const unlike = await check()
      this.#checked += 1
      if (unlike !== undefined) this.#differs(record, unlike)
    } catch (thrown) {
      if (!(thrown instanceof KeelsonError)) throw thrown
      if (thrown.code === 'VALUE_ERASED') this.#erased.push(record.runSeq)
      else this.#differs(record, { expected: `values to derive it from (${thrown.message})`, found: 'none' })
    }
  }

  #differs({ runSeq, decision }: LogRecord, unlike: Unlike): void {
    this.#differences.push({ code: 'FACT_MISMATCH', runSeq, cause: decision.cause, ...unlike })
  }

  async #fact(asked: AskedFacts): Promise<Unlike | undefined> {
    const derived = await this.#derived(asked, asked.state)
    if (sameFacts(derived, asked.facts)) return undefined
    const before = withoutChangesSince(asked.state, asked.appendFrom)
    // In earlier versions a change of parameters counted only from the next append on.
    if (before !== undefined && sameFacts(await this.#derived(asked, before), asked.facts)) return undefined
    const source = sourceOf(asked.need, this.#run.plan.plan, derived, asked.facts)
    return {
      expected: `${source} gives ${shownFacts(derived, asked.facts)}`,
      found: shownFacts(asked.facts, derived),
    }
  }

  async #derived({ need: asked, seq }: AskedFacts, state: RunState): Promise<SlotFacts> {
    const need = asked.kind === 'match' ? this.#withKey(asked, state) : asked
    const facts = await evaluateNeeds([need], { store: this.#values, run: this.#run, state, seq })
    return facts.get(need.slot) ?? {}
  }

  /** A mapped key stands with the start of the wait. */
  #withKey<Q extends Extract<Question, { kind: 'match' }>>(asked: Q, state: RunState): Q {
    const startedSeq = locate(state, asked.slot)?.unit.startedSeq
    const started = this.#records.find(({ runSeq }) => runSeq === startedSeq)
    if (started !== undefined && isErased(started)) fail('VALUE_ERASED', `the key of the wait ${asked.slot} was erased`)
    return { ...asked, event: { ...asked.event, key: keyOf(started?.data?.['facts'], asked.event.key) } }
  }

  async #captured(record: LogRecord): Promise<Unlike | undefined> {
    const step = stepOfRecord(record, this.#run.plan)
    const { captures } = record.payload as Payload<'StepCompleted'>
    const results = await readResults(logOf(this.#values, this.#run), [record.runSeq])
    const context = await this.#values.contextAt(record.runSeq - 1)
    const derived = applyCaptures(step?.capture ?? [], results.get(record.runSeq), context, step?.isolate)
    const name = `the captures of ${recordedSlot(record)}`
    if (!derived.ok) return { expected: `${name} to be refused (${derived.problems[0].code})`, found: 'some' }
    const recorded = { captures: captures ?? [], values: dataOf(record)['captureValues'] ?? [] }
    const expected = { captures: derived.value.captures, values: derived.value.values }
    if (canonicalText(expected) === canonicalText(recorded)) return undefined
    return { expected: `${name} to be ${shownValue(expected)}`, found: shownValue(recorded) }
  }
}

interface Unlike {
  readonly expected: string
  readonly found: string
}

function stepOfRecord(record: LogRecord, { graph }: LoadedPlan): LoadedPlan['graph']['steps'][number] | undefined {
  const stepId = parseStepSlot(recordedSlot(record))?.stepId ?? ''
  return graph.steps[graph.indexOf.get(stepId) ?? -1]
}

/** Captured from the step's own report; what a fork took over was captured in another run. */
function hasOwnCaptures(record: LogRecord, plan: LoadedPlan): boolean {
  if (record.eventType !== 'StepCompleted' || record.payload?.['reusedFrom'] !== undefined) return false
  const { cause, firstSeq } = record.decision
  const isReport = record.runSeq === firstSeq && /^(outcome|child|event):/.test(cause)
  return record.payload?.['captures'] !== undefined || (isReport && stepOfRecord(record, plan)?.capture !== undefined)
}

/** The state as seen by an append that began with this seq; undefined when that makes no difference. */
function withoutChangesSince(state: RunState, from: number): RunState | undefined {
  let { paramChanges } = state
  while (paramChanges !== undefined && paramChanges.value >= from) paramChanges = paramChanges.next
  return paramChanges === state.paramChanges ? undefined : { ...state, paramChanges }
}
