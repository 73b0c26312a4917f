/**
 * Repeats one recorded decision: its input, then the rounds of facts, each compared with the events it left. It knows
 * where an append may have been cut, and treats a slot that wanted units and did not start as held (P-07, P-11, P-19).
 */
import type { LogRecord } from '../../core/events/event.ts'
import { LIMITS } from '../../core/limits.ts'
import { decide, type DecisionResult } from '../../core/run/decide/decide.ts'
import type { Draft } from '../../core/run/draft.ts'
import type { Input, InputBody, Need, SlotFacts } from '../../core/run/input.ts'
import type { RunState } from '../../core/run/state/state.ts'
import { draftName, recordName, unlike } from './compare-draft.ts'
import type { RecordedDecision } from './recorded-decision.ts'
import { factsCarrier, recordedFacts, recordedGrants } from './recorded-facts.ts'
import { eventOf } from '../../core/plan/plan.ts'
import { locate, stepAt } from '../../core/run/state/units.ts'
import type { Question } from '../advance/evaluate-needs.ts'
import { ROOM_PER_INPUT } from '../advance/decision-round.ts'
import { KeelsonError } from '../../core/problems/problem.ts'

export interface Found {
  readonly runSeq: number
  readonly expected: string
  readonly found: string
}

export const NOTHING = 'nothing'

/** A question of a decision about the values so far, and the answer in its events. */
export interface AskedFacts {
  readonly need: Question
  readonly state: RunState
  /** Records up to this seq could be read. */
  readonly seq: number
  /** The event that carries the answer. */
  readonly record: LogRecord
  readonly facts: SlotFacts
  /** The first event that may belong to the same append. */
  readonly appendFrom: number
}

/** Undefined when the input on this state leads to exactly these events. */
export function rederive(
  decision: RecordedDecision,
  state: RunState,
  epoch: number,
  input: InputBody,
  listen: (asked: AskedFacts) => void = () => undefined,
): Found | undefined {
  try {
    const again = new Rederivation(decision, state, epoch)
    const found = again.run(input)
    if (found === undefined) for (const asked of again.asked.values()) listen(asked)
    const match = found === undefined && input.kind === 'event' ? matchAsked(decision, state, input) : undefined
    if (match !== undefined) listen(match)
    return found
  } catch (thrown) {
    if (!(thrown instanceof KeelsonError)) throw thrown
    // On a state that no true log leads to, the decider itself refuses.
    const [first] = decision.records
    const found = first === undefined ? NOTHING : recordName(first)
    return { runSeq: decision.firstSeq, expected: `no decision (${thrown.message})`, found }
  }
}

/** Whether the event was what the step waited for. */
function matchAsked(
  { records, firstSeq, sameInstantBefore }: RecordedDecision,
  state: RunState,
  { slot, eventId: id, outcome }: Extract<InputBody, { kind: 'event' }>,
): AskedFacts | undefined {
  const [record] = records
  const unit = locate(state, slot)?.unit
  const wait = unit === undefined ? undefined : eventOf(stepAt(state.graph, unit.step))
  if (record === undefined || wait?.match === undefined || outcome.kind === 'failed') return undefined
  const event = { id, name: wait.forEvent, key: wait.key ?? '', data: record.data?.['result'] ?? null }
  const facts = (record.data?.['facts'] ?? {}) as SlotFacts
  const need = { kind: 'match', slot, event } as const
  return { need, state, seq: firstSeq - 1, record, facts, appendFrom: firstSeq - sameInstantBefore }
}

class Rederivation {
  readonly #decision: RecordedDecision
  readonly #epoch: number
  /** By slot; the last question before its use counts. */
  readonly asked = new Map<string, AskedFacts>()
  #state: RunState
  #at = 0

  constructor(decision: RecordedDecision, state: RunState, epoch: number) {
    this.#decision = decision
    this.#state = state
    this.#epoch = epoch
  }

  run(body: InputBody): Found | undefined {
    const { cause, records, firstSeq } = this.#decision
    const { graph } = this.#state
    let round: InputBody = body
    let asked = ''
    const facts = new Map<string, SlotFacts>()
    for (;;) {
      const result = this.#round(round)
      if ('expected' in result) return result
      if (result.needs.length === 0 || this.#mayLeaveNeeds()) break
      const rest = records.slice(this.#at)
      const found = recordedFacts(result.needs, rest, graph)
      const slots = result.needs.map((need) => need.slot).join()
      const isStuck = found.size === 0 || (result.drafts.length === 0 && slots === asked)
      asked = slots
      if (isStuck) {
        const [need] = result.needs
        return { runSeq: this.#seq(), expected: `${need?.slot ?? ''} to start or to be skipped`, found: this.#found() }
      }
      for (const [slot, fact] of found) facts.set(slot, fact)
      this.#note(result.needs, found, rest)
      round = { kind: 'continue', cause, facts }
    }
    const extra = records[this.#at]
    if (extra === undefined) return undefined
    return { runSeq: firstSeq + this.#at, expected: NOTHING, found: recordName(extra) }
  }

  #note(needs: readonly Need[], found: ReadonlyMap<string, SlotFacts>, rest: readonly LogRecord[]): void {
    const { firstSeq, sameInstantBefore } = this.#decision
    for (const need of needs) {
      const facts = found.get(need.slot)
      const record = factsCarrier(need, rest)
      if (facts === undefined || record === undefined) continue
      const at = { state: this.#state, seq: this.#seq() - 1, appendFrom: firstSeq - sameInstantBefore }
      this.asked.set(need.slot, { need, record, facts, ...at })
    }
  }

  #round(body: InputBody): DecisionResult | Found {
    const result = this.#fitted(body, this.#decide(body, LIMITS.appendEvents))
    for (const draft of result.drafts) {
      const record = this.#decision.records[this.#at]
      const wrong =
        record === undefined ? { expected: draftName(draft), found: NOTHING } : unlike(pinnedAs(draft, record), record)
      if (wrong !== undefined) return { runSeq: this.#seq(), ...wrong }
      this.#at += 1
    }
    this.#state = result.state
    return result
  }

  #decide(body: InputBody, room: number): DecisionResult {
    const { now, records } = this.#decision
    const grants = recordedGrants(records, this.#state.graph)
    const input: Input = {
      ...body,
      now,
      epoch: this.#epoch,
      nextSeq: this.#seq(),
      room,
      ...(grants === undefined ? {} : { grants }),
    }
    return decide(this.#state.graph, this.#state, input)
  }

  /**
   * A decision that wrote less than expected was cut where its append was full, at most by the number of events before
   * it.
   */
  #fitted(body: InputBody, whole: DecisionResult): DecisionResult {
    const left = this.#decision.records.length - this.#at
    if (whole.drafts.length <= left) return whole
    let low = Math.max(0, LIMITS.appendEvents - this.#sameInstant())
    let high: number = LIMITS.appendEvents
    while (low < high) {
      const room = (low + high) >> 1
      const cut = this.#decide(body, room)
      if (cut.drafts.length === left) return cut
      if (cut.drafts.length < left) low = room + 1
      else high = room
    }
    return whole
  }

  /** Facts may wait for the next turn after the start, which is made before the run has a key, and in a full append. */
  #mayLeaveNeeds(): boolean {
    const isFull = this.#sameInstant() + ROOM_PER_INPUT > LIMITS.appendEvents
    return this.#at === this.#decision.records.length && (this.#decision.cause === 'start' || isFull)
  }

  /** The maximum number of events in its append before this round. */
  #sameInstant(): number {
    return this.#decision.sameInstantBefore + this.#at
  }

  #seq(): number {
    return this.#decision.firstSeq + this.#at
  }

  #found(): string {
    const record = this.#decision.records[this.#at]
    return record === undefined ? NOTHING : recordName(record)
  }
}

/** The starter, not a decision, sets the rules of a run. */
function pinnedAs(draft: Draft, record: LogRecord): Draft {
  const rulesVersion = record.payload?.['rulesVersion']
  if (draft.eventType !== 'RunStarted' || record.eventType !== 'RunStarted' || typeof rulesVersion !== 'number')
    return draft
  return { ...draft, payload: { ...draft.payload, rulesVersion } as Draft['payload'] }
}
