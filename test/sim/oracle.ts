/**
 * The specification model of a run: it walks the committed records one by one and says what is wrong with each, by
 * tables of its own. It shares no line with `decide` or `evolve`, so the fold is never checked against itself.
 */
import type { Plan } from '../../src/core/plan/plan.ts'
import { RunModel, type Attempt, type SlotModel } from './oracle-model.ts'
import { expectedKey, isEnd, MAY_FOLLOW_THE_END, RUN_EVENTS, runMove, slotName, type LogEvent } from './oracle-tables.ts'
import { runRules } from './oracle-run.ts'
import { stepRules } from './oracle-steps.ts'
import { undoRules } from './oracle-undo.ts'

/** What the world knows happened outside the log. */
export interface Witness {
  /** Executions of this attempt that ended and could be reported: by value returned, or by class of error. */
  readonly executions: (slot: string, attempt: number) => readonly Execution[]
  /** How long the list behind a forEach is. */
  readonly listLength: (expression: string) => number
}

export interface Execution {
  readonly runId: string
  readonly slot: string
  readonly attempt: number
  readonly engineAttempt: number
  ended: 'open' | 'completed' | 'failed' | 'aborted'
  value?: unknown
  errorClass?: string
}

export interface Walk {
  readonly model: RunModel
  readonly witness: Witness
  /** Epoch of the append the event came with. */
  readonly epoch: number
  /** First number of that append. */
  readonly appendSeq: number
  readonly must: (holds: boolean, what: string) => void
}

export type Rule = (walk: Walk, event: LogEvent) => void

const RULES: Readonly<Record<string, Rule>> = { ...runRules, ...stepRules, ...undoRules }

export class RunOracle {
  readonly model: RunModel
  readonly #witness: Witness
  readonly #keys = new Set<string>()
  readonly #complain: (what: string) => void
  #last: LogEvent | undefined

  constructor(plan: Plan, witness: Witness, complain: (what: string) => void) {
    this.model = new RunModel(plan)
    this.#witness = witness
    this.#complain = complain
  }

  get lastSeq(): number {
    return this.#last?.runSeq ?? 0
  }

  take(event: LogEvent, append: { readonly epoch: number; readonly firstSeq: number }): void {
    const must = (holds: boolean, what: string): void => {
      if (!holds) this.#complain(`#${event.runSeq} ${event.eventType} ${event.stepId === undefined ? 'RUN' : slotName(event)}@${event.attempt}: ${what}`)
    }
    const { model } = this
    must(event.runSeq > this.lastSeq, `I2 number ${event.runSeq} after ${this.lastSeq}`)
    must(!this.#keys.has(event.idempotencyKey), 'I3 a key occurs twice')
    must(event.idempotencyKey === expectedKey(event), 'I3 the key does not follow from the event')
    must(event.at >= (this.#last?.at ?? 0), 'I5 time goes back')
    this.#keys.add(event.idempotencyKey)
    this.#checkDecision(event, append.firstSeq, must)
    must(!isEnd(model.phase) || MAY_FOLLOW_THE_END.includes(event.eventType), `I5 after the end (${model.phase})`)
    if (RUN_EVENTS.has(event.eventType)) {
      const to = runMove(model.phase, event.eventType)
      must(to !== undefined, `I5 while the run is ${model.phase}`)
      RULES[event.eventType]?.(this.#walk(append, must), event)
      model.phase = to ?? model.phase
    } else {
      RULES[event.eventType]?.(this.#walk(append, must), event)
    }
    this.#last = event
  }

  #walk(append: { readonly epoch: number; readonly firstSeq: number }, must: Walk['must']): Walk {
    return { model: this.model, witness: this.#witness, epoch: append.epoch, appendSeq: append.firstSeq, must }
  }

  /** A decision is an unbroken row of events of one append, under one cause (P-14). */
  #checkDecision(event: LogEvent, appendSeq: number, must: Walk['must']): void {
    const { firstSeq, cause } = event.decision
    if (firstSeq === event.runSeq) return
    const before = this.#last?.decision
    must(before?.firstSeq === firstSeq && before.cause === cause && firstSeq >= appendSeq, `P-14 decision ${firstSeq} ${cause} does not go on from the event before`)
  }
}

/** The attempt an event ends; complains when it is not open. */
export function openAttempt(walk: Walk, event: LogEvent): { slot: SlotModel; attempt: Attempt } | undefined {
  const slot = walk.model.slot(slotName(event))
  const attempt = slot?.attempts.at(-1)
  const fits = slot !== undefined && attempt !== undefined && attempt.n === event.attempt && attempt.state === 'RUNNING'
  walk.must(fits, `I5 the attempt is not open (${attempt?.n ?? 0} ${attempt?.state ?? 'none'})`)
  return fits ? { slot, attempt } : undefined
}
