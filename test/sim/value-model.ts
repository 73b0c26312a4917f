/**
 * The model of values: it reads what completions put out, what captures wrote and what people changed from the records,
 * evaluates every expression of the plan by itself as of any event, and says what the log and the steps must have got.
 */
import { createHash } from 'node:crypto'
import { itemsOf, type Step } from '../../src/core/plan/plan.ts'
import type { RunModel, SlotModel } from './oracle-model.ts'
import { itemNames, slotName, type LogEvent } from './oracle-tables.ts'
import { isTruth, mappedValue, sortedText, valueOf, ValueProblem, type Roots } from './value-language.ts'

type Fields = Readonly<Record<string, unknown>>
interface AtSeq<T> {
  readonly seq: number
  readonly value: T
}

export class ValueModel {
  readonly #model: RunModel
  /** What each slot's completion gave. */
  readonly #results = new Map<string, AtSeq<unknown>>()
  /** Items of each fan-out, as they were when it was expanded. */
  readonly #items = new Map<string, readonly unknown[]>()
  readonly #lists = new Map<string, AtSeq<readonly unknown[]>>()
  readonly #context: AtSeq<Fields>[]
  readonly #params: AtSeq<Fields>[] = []
  readonly #overrides: (AtSeq<Fields> & { readonly stepId: string })[] = []
  /** What was computed here, by kind and answer, so that an exploration in vain is noticed. */
  readonly met = new Map<string, number>()
  #input: Fields = {}
  #runId = ''

  constructor(model: RunModel) {
    this.#model = model
    this.#context = [{ seq: 0, value: model.plan.context }]
  }

  /** After the rules have judged it: what the event adds. */
  take(event: LogEvent): void {
    const { data, payload, runSeq } = event
    this.#runId = event.runId
    if (data['input'] !== undefined) this.#input = data['input'] as Fields
    if (event.eventType === 'StepCompleted') {
      this.#results.set(slotName(event), { seq: runSeq, value: data['result'] ?? null })
      this.#capture(event)
    }
    if (event.eventType === 'SignalAccepted' && payload['applied'] === true) this.#changed(event)
  }

  /** What expressions outside of any step see, as of this event. */
  runRoots(upTo: number): Roots {
    const { planId, planVersion } = this.#model.plan.metadata
    const steps = new Map(this.#model.order.map((id) => [id, id]))
    return {
      input: this.inputAt(upTo),
      context: this.#at(this.#context, upTo) ?? {},
      steps: lazily(steps, (stepId) => ({ output: this.output(stepId, upTo) })),
      run: { id: this.#runId, planId, planVersion },
    }
  }

  roots(step: Step, item: number | undefined, upTo: number): Roots {
    const needs = this.#model.needs.get(step.stepId) ?? []
    const previous = needs.length === 1 ? { previous: this.output(needs[0] ?? '', upTo) } : {}
    const items = item === undefined ? {} : { item: this.#items.get(step.stepId)?.[item] ?? null, index: item }
    return { ...this.runRoots(upTo), ...previous, ...items }
  }

  inputAt(upTo: number): Fields {
    const changes = this.#params.flatMap(({ seq, value }) => (seq <= upTo ? [value] : []))
    return changes.length === 0 ? this.#input : (Object.assign({}, this.#input, ...changes) as Fields)
  }

  /** A completion's result, its fallback's when that saved it, a list for a fan-out; null for what has none by then. */
  output(stepId: string, upTo: number): unknown {
    const parent = this.#model.slots.get(stepId)
    const expanded = parent !== undefined && this.#model.isFanParent(parent) && this.#model.fans.has(stepId)
    if (!expanded) return this.#single(stepId, upTo)
    const done = this.#results.get(stepId)
    if (done === undefined || done.seq > upTo) return null
    const known = this.#lists.get(stepId)
    if (known?.seq === done.seq) return known.value
    const value = itemNames(stepId, this.#model.fans.get(stepId) ?? 0).map((name) => this.#single(name, done.seq))
    this.#lists.set(stepId, { seq: done.seq, value })
    return value
  }

  #single(name: string, upTo: number): unknown {
    for (const slot of [name, `FALLBACK:${name}`]) {
      const done = this.#results.get(slot)
      if (done !== undefined && done.seq <= upTo) return done.value
    }
    return null
  }

  condition(step: Step, upTo: number): boolean | 'problem' {
    return this.#guarded('condition', () => {
      const roots = this.roots(step, undefined, upTo)
      const wanted = step.if === undefined || isTruth(valueOf(step.if, roots))
      return wanted && !(step.unless !== undefined && isTruth(valueOf(step.unless, roots)))
    })
  }

  /** The list behind a forEach, and its hash as anybody can compute it. */
  expand(step: Step, upTo: number): { readonly count: number; readonly sha256: string } | 'problem' {
    return this.#guarded('list', () => {
      const items = valueOf(itemsOf(step.forEach ?? '`null`'), this.roots(step, undefined, upTo))
      if (!Array.isArray(items)) throw new ValueProblem('no list')
      this.#items.set(step.stepId, items)
      return { count: items.length, sha256: createHash('sha256').update(sortedText(items)).digest('hex') }
    })
  }

  waitMs({ step, item }: SlotModel, upTo: number): unknown {
    const { wait } = step as { readonly wait: { readonly forMs?: unknown } }
    return this.#guarded('wait', () => mappedValue(wait.forMs, this.roots(step, item, upTo)))
  }

  /** No key is the empty one. */
  eventKey({ step, item }: SlotModel, upTo: number): unknown {
    const { wait } = step as { readonly wait: { readonly key?: unknown } }
    return this.#guarded('key', () => mappedValue(wait.key ?? '', this.roots(step, item, upTo)))
  }

  runOutput(upTo: number): unknown {
    return this.#guarded('output', () => mappedValue(this.#model.plan.output ?? null, this.runRoots(upTo)))
  }

  captured(event: LogEvent): { readonly captures: unknown; readonly values: unknown } {
    const captures = this.#model.slot(slotName(event))?.step.capture ?? []
    if (captures.length > 0) this.met.set('capture', 1 + (this.met.get('capture') ?? 0))
    const output = event.data['result'] ?? null
    return {
      captures: captures.map(({ destination, merge }) => ({ path: destination, mode: merge })),
      values: captures.map(({ transform }) =>
        transform === undefined ? output : valueOf(`value.${transform}`, { value: output }),
      ),
    }
  }

  /** What an execution of this attempt must be given (P-17): the values as of its slot's first start, then what people put over it. */
  given({ step, item, isFallback, attempts }: SlotModel, attempt: number): unknown {
    const upTo = attempts[0]?.startSeq ?? 0
    const startedAt = attempts[attempt - 1]?.startSeq ?? 0
    const mapping = isFallback ? step.fallback?.with : step.with
    const mapped = this.#guarded('input', () => mappedValue(mapping, this.roots(step, item, upTo)))
    const over = this.#overrides.filter(({ stepId, seq }) => stepId === step.stepId && seq < startedAt)
    return over.length === 0 ? mapped : Object.assign({}, mapped, ...over.map(({ value }) => value))
  }

  #guarded<T>(kind: string, evaluate: () => T): T | 'problem' {
    let value: T | 'problem' = 'problem'
    try {
      value = evaluate()
    } catch (thrown) {
      if (!(thrown instanceof ValueProblem)) throw thrown
    }
    const name = typeof value === 'boolean' || value === 'problem' ? `${kind} ${String(value)}` : kind
    this.met.set(name, (this.met.get(name) ?? 0) + 1)
    return value
  }

  #at<T>(versions: readonly AtSeq<T>[], upTo: number): T | undefined {
    return versions.findLast(({ seq }) => seq <= upTo)?.value
  }

  #capture({ payload, data, runSeq }: LogEvent): void {
    const captures = (payload['captures'] ?? []) as readonly { readonly path: string; readonly mode: string }[]
    if (captures.length === 0) return
    const values = data['captureValues'] as readonly unknown[]
    const after: Record<string, unknown> = { ...this.#context.at(-1)?.value }
    captures.forEach(({ path, mode }, index) => {
      const before = Array.isArray(after[path]) ? (after[path] as readonly unknown[]) : []
      after[path] = mode === 'append' ? [...before, values[index]] : values[index]
    })
    this.#context.push({ seq: runSeq, value: after })
  }

  #changed({ payload, data, runSeq }: LogEvent): void {
    const sent = (data['signalPayload'] ?? {}) as Record<string, Fields | undefined>
    const stepId = String(payload['target'])
    switch (payload['signalType']) {
      case 'UPDATE_PARAMS':
        this.#params.push({ seq: runSeq, value: sent['params'] ?? {} })
        return
      case 'INJECT_OVERRIDE':
        this.#overrides.push({ seq: runSeq, stepId, value: sent['override'] ?? {} })
        return
      case 'UPDATE_TARGET':
        this.#overrides.push({ seq: runSeq, stepId, value: { target: sent['newTarget'] } })
        return
      default:
    }
  }
}

/** An object whose fields are made when they are looked at. */
function lazily(names: ReadonlyMap<string, string>, make: (name: string) => unknown): object {
  const object = {}
  for (const name of names.keys()) Object.defineProperty(object, name, { enumerable: true, get: () => make(name) })
  return object
}
