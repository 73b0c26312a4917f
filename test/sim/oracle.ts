/**
 * The specification model of a run: it walks the committed records one by one and says what is wrong with each, by
 * tables of its own. It shares no line with `decide` or `evolve`, so the fold is never checked against itself.
 */
import type { Plan } from '../../src/core/plan/plan.ts'
import { RunModel } from './oracle-model.ts'
import {
  expectedKey,
  isEnd,
  MAY_FOLLOW_THE_END,
  RUN_EVENTS,
  runMove,
  slotName,
  type LogEvent,
} from './oracle-tables.ts'
import { runRules } from './oracle-run.ts'
import { stepRules } from './oracle-steps.ts'
import { undoRules } from './oracle-compensation.ts'
import type { Rule, Walk, Witness } from './oracle-walk.ts'
import { ValueModel } from './value-model.ts'
import { valueRules } from './value-rules.ts'

const RULES: Readonly<Record<string, Rule>> = { ...runRules, ...stepRules, ...undoRules }

export class RunOracle {
  readonly model: RunModel
  readonly values: ValueModel
  readonly #witness: Witness
  readonly #keys = new Set<string>()
  readonly #complain: (what: string) => void
  #last: LogEvent | undefined

  constructor(plan: Plan, witness: Witness, complain: (what: string) => void) {
    this.model = new RunModel(plan)
    this.values = new ValueModel(this.model)
    this.#witness = witness
    this.#complain = complain
  }

  get lastSeq(): number {
    return this.#last?.runSeq ?? 0
  }

  take(event: LogEvent, append: { readonly epoch: number; readonly firstSeq: number }): void {
    const must = (holds: boolean, what: string): void => {
      if (!holds)
        this.#complain(
          `#${event.runSeq} ${event.eventType} ${event.stepId === undefined ? 'RUN' : slotName(event)}@${event.attempt}: ${what}`,
        )
    }
    const { model } = this
    must(event.runSeq > this.lastSeq, `I2 number ${event.runSeq} after ${this.lastSeq}`)
    must(!this.#keys.has(event.idempotencyKey), 'I3 a key occurs twice')
    must(event.idempotencyKey === expectedKey(event), 'I3 the key does not follow from the event')
    must(event.at >= (this.#last?.at ?? 0), 'I5 time goes back')
    this.#keys.add(event.idempotencyKey)
    this.#checkDecision(event, append.firstSeq, must)
    must(
      model.follows === undefined || model.follows === event.eventType,
      `SIG-15 ${model.follows} should have followed at once`,
    )
    model.follows = undefined
    must(!isEnd(model.phase) || MAY_FOLLOW_THE_END.includes(event.eventType), `I5 after the end (${model.phase})`)
    if (RUN_EVENTS.has(event.eventType)) {
      const to = runMove(model.phase, event.eventType)
      must(to !== undefined, `I5 while the run is ${model.phase}`)
      RULES[event.eventType]?.(this.#walk(append, must), event)
      model.phase = to ?? model.phase
    } else {
      RULES[event.eventType]?.(this.#walk(append, must), event)
    }
    valueRules[event.eventType]?.(this.#walk(append, must), event)
    this.values.take(event)
    this.#last = event
  }

  #walk(append: { readonly epoch: number; readonly firstSeq: number }, must: Walk['must']): Walk {
    const { model, values } = this
    return { model, values, witness: this.#witness, epoch: append.epoch, appendSeq: append.firstSeq, must }
  }

  /** A decision is an unbroken row of events of one append, under one cause (P-14). */
  #checkDecision(event: LogEvent, appendSeq: number, must: Walk['must']): void {
    const { firstSeq, cause } = event.decision
    if (firstSeq === event.runSeq) return
    const before = this.#last?.decision
    must(
      before?.firstSeq === firstSeq && before.cause === cause && firstSeq >= appendSeq,
      `P-14 decision ${firstSeq} ${cause} does not go on from the event before`,
    )
  }
}
