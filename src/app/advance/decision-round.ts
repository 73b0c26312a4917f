/**
 * One append in the making: decisions taken one after another on the state each leaves behind, each with its own
 * first seq and cause, with the rounds of `needs` in between (P-06, P-07).
 */
import type { Decision } from '../../core/events/event.ts'
import { LIMITS } from '../../core/limits.ts'
import { decide } from '../../core/run/decide/decide.ts'
import type { Draft } from '../../core/run/draft.ts'
import type { Effect } from '../../core/run/effect.ts'
import { causeOf, type GrantsAtHand, type InputBody, type Need, type SlotFacts } from '../../core/run/input.ts'
import type { RunState } from '../../core/run/state/state.ts'
import { timerText } from '../../core/run/state/timers.ts'
import type { ContextWrite, RunStore } from '../../ports/run-store.ts'
import { AppendValues } from '../values/appended.ts'
import { evaluateNeeds } from './evaluate-needs.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import { contextRow, type Blob } from '../values/offload.ts'
import type { ContextChange } from '../values/run-context.ts'
import type { RunMoment } from '../loaded/run-times.ts'

/** An input may write a few events at once whatever the room; below this much room the rest waits for the next turn. */
export const ROOM_PER_INPUT = 8

export class DecisionRound {
  readonly #store: RunStore
  readonly #run: LoadedRun
  readonly now: number
  /** How far the run's time, which `now` is, is ahead of the wall clock. */
  readonly lead: number
  readonly epoch: number
  readonly firstSeq: number
  readonly drafts: { readonly draft: Draft; readonly decision: Decision }[] = []
  readonly effects: Effect[] = []
  readonly context: ContextWrite[] = []
  /** What the events and the context rows of this append name by hash. */
  readonly blobs: Blob[] = []
  readonly pending: ContextChange[] = []
  /** What this append has put out, for expressions evaluated before it is committed. */
  readonly values: AppendValues
  /** What is known of grants; undefined for a plan that wants none. May change between inputs. */
  grants: GrantsAtHand | undefined
  state: RunState
  cut = false

  constructor(store: RunStore, run: LoadedRun, at: RunMoment, epoch: number, grants?: GrantsAtHand) {
    this.#store = store
    this.grants = grants
    this.#run = run
    this.now = at.now
    this.lead = at.lead
    this.epoch = epoch
    this.state = run.state
    this.firstSeq = run.nextSeq
    this.values = new AppendValues(this.firstSeq, this.drafts)
  }

  get wall(): number {
    return this.now - this.lead
  }

  get nextSeq(): number {
    return this.firstSeq + this.drafts.length
  }

  get isFull(): boolean {
    return this.drafts.length + ROOM_PER_INPUT > LIMITS.appendEvents
  }

  /**
   * Takes one input in, with all its rounds. `facts: false` leaves what it needs for the next turn. Where it needs nothing, as most
   * do not, nothing is to be waited for.
   */
  take(input: InputBody, options: { readonly facts?: boolean } & OutcomeParts = {}): Promise<void> | undefined {
    const decision = { firstSeq: this.nextSeq, cause: causeOf(input, (timer) => timerText(this.state, timer)) }
    const needs = this.#decide(input, decision)
    this.#noteOutcome(input, decision.firstSeq, options)
    return needs.length === 0 ? undefined : this.#meet(needs, decision, options.facts !== false)
  }

  async #meet(first: readonly Need[], decision: Decision, mayLook: boolean): Promise<void> {
    const { cause } = decision
    let needs = first
    // Kept over the rounds: a step whose facts are known and that waits for its grant would ask again and again.
    const facts = new Map<string, SlotFacts>()
    while (needs.length > 0) {
      if (!mayLook || this.isFull) {
        this.cut = true
        return
      }
      const found = await evaluateNeeds(needs, {
        store: this.#store,
        run: this.#run,
        state: this.state,
        seq: this.#run.nextSeq - 1,
        pending: this.pending,
        append: this.values,
      })
      for (const [slot, fact] of found) facts.set(slot, fact)
      needs = this.#decide({ kind: 'continue', cause, facts }, decision)
    }
  }

  #decide(input: InputBody, decision: Decision): readonly Need[] {
    const room = LIMITS.appendEvents - this.drafts.length
    const result = decide(this.#run.plan.graph, this.state, {
      ...input,
      now: this.now,
      epoch: this.epoch,
      nextSeq: this.nextSeq,
      room,
      ...(this.grants === undefined ? {} : { grants: this.grants }),
    })
    for (const draft of result.drafts) this.drafts.push({ draft, decision })
    this.effects.push(...result.effects)
    this.state = result.state
    this.cut = result.cut
    return result.needs
  }

  /** Captures and the output become visible to the rounds that follow, under the seq of their StepCompleted. */
  #noteOutcome(input: InputBody, seq: number, options: OutcomeParts): void {
    if (
      (input.kind !== 'outcome' && input.kind !== 'child' && input.kind !== 'event') ||
      this.drafts[seq - this.firstSeq]?.draft.eventType !== 'StepCompleted'
    )
      return
    this.values.noteLarge(seq, options.output)
    for (const { variable, value } of options.writes ?? []) {
      this.pending.push({ variable, value })
      this.#writeContext(variable, seq, value)
    }
    this.blobs.push(...(options.blobs ?? []))
  }

  /** What steps of an earlier run had captured, under the seqs at which this run takes their results over. */
  noteTakenOver(writes: ReadonlyMap<string, readonly ContextChange[]>): void {
    for (const [index, { draft }] of this.drafts.entries()) {
      if (draft.eventType !== 'StepCompleted') continue
      for (const { variable, value } of writes.get(draft.slot) ?? [])
        this.#writeContext(variable, this.firstSeq + index, value)
    }
  }

  #writeContext(variable: string, seq: number, value: unknown): void {
    const row = contextRow(value)
    this.context.push({ variable, seq, value: row.text })
    if (row.blob !== undefined) this.blobs.push(row.blob)
  }
}

interface OutcomeParts {
  readonly writes?: readonly ContextChange[]
  readonly blobs?: readonly Blob[]
  readonly output?: unknown
}
