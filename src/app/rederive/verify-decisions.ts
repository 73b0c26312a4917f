/**
 * Decides a run's whole log again, from its plan and itself alone: each recorded decision gets its recorded input on
 * the state before it, and the decider must produce exactly what was written. It proves that every decision follows
 * from its recorded inputs; not that outcomes, grants or clocks were true.
 */
import { isEventType, type LogRecord } from '../../core/events/event.ts'
import { KeelsonError } from '../../core/problems/problem.ts'
import { evolve } from '../../core/run/evolve/evolve.ts'
import { foldEventOfRecord } from '../../core/run/fold-event.ts'
import { RULES_VERSION, type RunState } from '../../core/run/state/state.ts'
import { initialState } from '../../core/run/state/initial-state.ts'
import { isoFromMs } from '../../core/time.ts'
import { draftName, recordName, unlike } from './compare-draft.ts'
import { alteredRunDrafts, noteAttempt, type OpenAttempt } from '../advance/fail-altered-run.ts'
import type { LoadedPlan } from '../plans/load.ts'
import { epochOf, recordedDecisions, type RecordedDecision } from './recorded-decision.ts'
import { isErased } from '../log/erased-data.ts'
import { recordedInput } from './recorded-input.ts'
import { NOTHING, rederive, type AskedFacts, type Found } from './rederive-decision.ts'

export interface DecisionDifference {
  readonly code: 'DECISION_MISMATCH' | 'FACT_MISMATCH'
  readonly runSeq: number
  readonly cause: string
  readonly expected: string
  readonly found: string
}

export interface DecisionReport {
  readonly decisions: number
  /** Decided again with the same result, in every byte that still exists. */
  readonly rederived: number
  /** First runSeq of those whose data was erased: their structure was compared, their data could not be. */
  readonly erased: readonly number[]
  /** Decisions that this decider cannot repeat, each with the reason. */
  readonly notDerivable: readonly { readonly runSeq: number; readonly why: string }[]
  /** Decisions that do not follow; the first is the cause, later ones may only result from it. */
  readonly differences: readonly DecisionDifference[]
}

const DIFFERENCES_MAX = 20

/** The whole log of one run from its first event, in order of runSeq. `listen` receives the facts it is based on. */
export function verifyDecisions(
  records: readonly LogRecord[],
  plan: LoadedPlan,
  listen?: (asked: AskedFacts) => void,
): DecisionReport {
  const walk = new Walk(plan, listen)
  for (const decision of recordedDecisions(records)) if (!walk.take(decision)) break
  return walk.report()
}

class Walk {
  readonly #plan: LoadedPlan
  readonly #open = new Map<string, OpenAttempt>()
  #state: RunState
  #epoch = 1
  #decisions = 0
  #rederived = 0
  readonly #erased: number[] = []
  readonly #notDerivable: { readonly runSeq: number; readonly why: string }[] = []
  readonly #differences: DecisionDifference[] = []

  readonly #listen: ((asked: AskedFacts) => void) | undefined

  constructor(plan: LoadedPlan, listen: ((asked: AskedFacts) => void) | undefined) {
    this.#plan = plan
    this.#listen = listen
    this.#state = initialState(plan.graph)
  }

  report(): DecisionReport {
    return {
      decisions: this.#decisions,
      rederived: this.#rederived,
      erased: this.#erased,
      notDerivable: this.#notDerivable,
      differences: this.#differences,
    }
  }

  /** False when the log cannot be folded any further. */
  take(decision: RecordedDecision): boolean {
    this.#decisions += 1
    const epoch = epochOf(decision, this.#state, this.#epoch)
    const found = this.#check(decision, epoch)
    if (found === undefined) {
      this.#rederived += 1
      if (decision.records.some(isErased)) this.#erased.push(decision.firstSeq)
    } else if ('why' in found) this.#notDerivable.push(found)
    else this.#differences.push({ code: 'DECISION_MISMATCH', cause: decision.cause, ...found })
    this.#epoch = Math.max(this.#epoch, epoch)
    return this.#fold(decision) && this.#differences.length < DIFFERENCES_MAX
  }

  #fold(decision: RecordedDecision): boolean {
    for (const record of decision.records) {
      noteAttempt(this.#open, record)
      try {
        this.#state = evolve(this.#state, foldEventOfRecord(record))
      } catch (thrown) {
        if (!(thrown instanceof KeelsonError)) throw thrown
        const expected = `an event that may follow (${thrown.message})`
        this.#differences.push(mismatch(decision, record.runSeq, expected, recordName(record)))
        return false
      }
    }
    return true
  }

  #check(decision: RecordedDecision, epoch: number): Verdict {
    const { firstSeq, cause, now, records } = decision
    const unknown = records.find((record) => !isEventType(record.eventType))
    if (unknown !== undefined)
      return { runSeq: firstSeq, why: `'${unknown.eventType}' is not an event this version knows` }
    const pinned = pinnedRules(decision, this.#state)
    if (pinned > RULES_VERSION)
      return { runSeq: firstSeq, why: `it was decided under rules version ${pinned}; this is ${RULES_VERSION}` }
    const wrong = wrongFrame(decision, this.#state, epoch, this.#epoch) ?? this.#wrongPlan(records)
    if (wrong !== undefined) return wrong
    if (cause === 'integrity') return this.#checkAltered(decision)
    const input = recordedInput(decision, this.#state)
    if (input.kind === 'outside') return { runSeq: firstSeq, why: input.why }
    if (input.kind === 'contradiction')
      return { runSeq: firstSeq, expected: input.expected, found: `${cause} at ${isoFromMs(now)}` }
    const verdict = rederive(decision, this.#state, epoch, input.body, this.#listen)
    // Only its data says what a refused signal asked for.
    const [first] = records
    return verdict !== undefined && first?.eventType === 'SignalRejected' && isErased(first)
      ? { runSeq: firstSeq, why: 'what the signal asked for was erased' }
      : verdict
  }

  /** The one end that is written without the plan, because the plan's bytes had changed since the start (PLN-06). */
  #checkAltered({ firstSeq, now, records }: RecordedDecision): Verdict {
    const text = records.at(-1)?.data?.['errorText'] as { readonly message?: string } | undefined
    const drafts = alteredRunDrafts(this.#open.values(), firstSeq, now, text?.message ?? '')
    for (const [index, record] of records.entries()) {
      const draft = drafts[index]
      const wrong = draft === undefined ? { expected: NOTHING, found: recordName(record) } : unlike(draft, record)
      if (wrong !== undefined) return { runSeq: record.runSeq, ...wrong }
    }
    const missing = drafts[records.length]
    if (missing === undefined) return undefined
    return { runSeq: firstSeq + records.length, expected: draftName(missing), found: NOTHING }
  }

  #wrongPlan(records: readonly LogRecord[]): Found | undefined {
    const started = records.find((record) => record.eventType === 'RunStarted')
    const pinned = (started?.payload?.['planRef'] as { readonly sha256?: string } | undefined)?.sha256
    if (started === undefined || pinned === this.#plan.sha256) return undefined
    return { runSeq: started.runSeq, expected: `the plan ${this.#plan.sha256}`, found: `the plan ${String(pinned)}` }
  }
}

type Verdict = Found | { readonly runSeq: number; readonly why: string } | undefined

function mismatch(decision: RecordedDecision, runSeq: number, expected: string, found: string): DecisionDifference {
  return { code: 'DECISION_MISMATCH', runSeq, cause: decision.cause, expected, found }
}

/** Rules of the decision; an upgrade is made by a version that knows the new ones. */
function pinnedRules({ records }: RecordedDecision, state: RunState): number {
  for (const { eventType, payload } of records) {
    const told = eventType === 'RunStarted' ? payload?.['rulesVersion'] : undefined
    const upgraded = eventType === 'RulesUpgraded' ? payload?.['to'] : undefined
    if (typeof told === 'number') return told
    if (typeof upgraded === 'number') return Math.max(upgraded, state.rulesVersion)
  }
  return state.rulesVersion
}

/** What must hold for every decision: its numbers, its one instant, and time and epochs that never go back. */
function wrongFrame(decision: RecordedDecision, state: RunState, epoch: number, before: number): Found | undefined {
  const { firstSeq, cause, now, records } = decision
  const [first] = records
  if (first === undefined) return undefined
  const at = (runSeq: number, expected: string, found: string): Found => ({ runSeq, expected, found })
  if (first.runSeq !== firstSeq)
    return at(first.runSeq, `the first event of decision ${cause} at ${firstSeq}`, recordName(first))
  for (const [index, record] of records.entries()) {
    if (record.runSeq !== firstSeq + index)
      return at(record.runSeq, `runSeq ${firstSeq + index}`, `runSeq ${record.runSeq}`)
    if (record.emittedAt !== first.emittedAt) return at(record.runSeq, first.emittedAt, record.emittedAt)
  }
  if (now < state.lastNow) return at(firstSeq, `an instant not before ${isoFromMs(state.lastNow)}`, isoFromMs(now))
  // A hand-off takes the run from its driver, and the new engine begins with a new epoch (P-27).
  if (cause === 'handoff' && epoch <= before) return at(firstSeq, `an epoch above ${before}`, `epoch ${epoch}`)
  if (epoch < before) return at(firstSeq, `an epoch not below ${before}`, `epoch ${epoch}`)
  return undefined
}
