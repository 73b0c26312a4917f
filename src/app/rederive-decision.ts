/**
 * One recorded decision made again: its input, then the rounds of facts, each compared with the events it left. It knows
 * where an append may have been cut, and takes a slot that wanted units and did not start as held (P-07, P-11, P-19).
 */
import type { ForeignRecord } from '../core/events/event.ts'
import { LIMITS } from '../core/limits.ts'
import { decide, type DecisionResult } from '../core/run/decide.ts'
import type { Draft } from '../core/run/draft.ts'
import type { Input, InputBody, Need, SlotFacts } from '../core/run/input.ts'
import type { RunState } from '../core/run/state.ts'
import { draftName, recordName, unlike } from './compare-draft.ts'
import type { RecordedDecision } from './recorded-decision.ts'
import { factsCarrier, recordedFacts, recordedGrants } from './recorded-facts.ts'
import { ROOM_PER_INPUT } from './decision-round.ts'
import { KeelsonError } from '../core/problems/problem.ts'

export interface Found {
  readonly runSeq: number
  readonly expected: string
  readonly found: string
}

export const NOTHING = 'nothing'

/** A question that a decision asked of the values so far, and the answer its events carry. */
export interface AskedFacts {
  readonly need: Need
  readonly state: RunState
  /** What was recorded up to here could be read. */
  readonly seq: number
  /** The event that carries the answer. */
  readonly record: ForeignRecord
  readonly facts: SlotFacts
  /** The first event that may have been written with it. */
  readonly appendFrom: number
}

/** Undefined when the events are exactly what the input leads to on this state. */
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
    return found
  } catch (thrown) {
    if (!(thrown instanceof KeelsonError)) throw thrown
    // On a state that a true log never leads to the decider itself refuses to go on.
    const [first] = decision.records
    const found = first === undefined ? NOTHING : recordName(first)
    return { runSeq: decision.firstSeq, expected: `no decision (${thrown.message})`, found }
  }
}

class Rederivation {
  readonly #decision: RecordedDecision
  readonly #epoch: number
  /** By slot; what is asked for again before it is used counts as it was asked last. */
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

  #note(needs: readonly Need[], found: ReadonlyMap<string, SlotFacts>, rest: readonly ForeignRecord[]): void {
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

  /** A decision that wrote less than it would have is cut where its append was full: by as much as may have been before it. */
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

  /** The most events its append can have held before this round. */
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

/** Which rules a run was started under is told by who started it, not decided. */
function pinnedAs(draft: Draft, record: ForeignRecord): Draft {
  const rulesVersion = record.payload?.['rulesVersion']
  if (draft.eventType !== 'RunStarted' || record.eventType !== 'RunStarted' || typeof rulesVersion !== 'number')
    return draft
  return { ...draft, payload: { ...draft.payload, rulesVersion } as Draft['payload'] }
}
