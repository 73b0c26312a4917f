/** Two runs side by side, from the folds that the page holds of them: what they began with, what they did, and how they ended. */
import type { ExecutionState } from '../../../src/client/connect.ts'
import { stepSlotOf } from '../../../src/core/events/slot-of.ts'
import type { LogRecord } from '../../../src/core/events/event.ts'
import { diffPlans, diffValues, type FieldChange, type PlanDiff } from '../../../src/core/plan/write/diff-plans.ts'
import { msFromIso } from '../../../src/core/time.ts'
import type { RunSnapshot, StepSnapshot } from '../../../src/core/view/fold/run-snapshot.ts'
import { inputOf, recordedIn, type Recorded } from '../history/recorded.ts'
import type { RunHistory } from '../history/run-history.ts'
import { firstDifference, takenSteps, type EventDifference } from './first-difference.ts'

export interface Compared {
  readonly execution: ExecutionState
  readonly history: RunHistory
  readonly lastSeq: number
}

/** `known`: field by field; empty means that they are the same. */
export type ValueDifference =
  | { readonly kind: 'known'; readonly fields: readonly FieldChange[] }
  | { readonly kind: 'other' }
  /** Only one of them has it. */
  | { readonly kind: 'one' }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'none' }

export interface StepRow {
  readonly stepId: string
  readonly left: StepSnapshot | undefined
  readonly right: StepSnapshot | undefined
  readonly leftMs: number | undefined
  readonly rightMs: number | undefined
  /** It did not do the step: it took over what another run had done. */
  readonly isLeftTaken: boolean
  readonly isRightTaken: boolean
  readonly result: ValueDifference
  /** In status, attempts, error or result; how long it took is told beside it. */
  readonly isSame: boolean
}

export interface Comparison {
  /** Undefined: they have the same plan, or one of the plans is not known. */
  readonly plan: PlanDiff | undefined
  readonly input: ValueDifference
  readonly event: EventDifference | undefined
  readonly steps: readonly StepRow[]
  readonly output: ValueDifference
}

export function compareRuns(left: Compared, right: Compared): Comparison {
  const [ours, theirs] = [left.history.records, right.history.records]
  const isOther = left.execution.planSha256 !== right.execution.planSha256
  const [before, after] = [left.history.plan, right.history.plan]
  return {
    plan: isOther && before !== undefined && after !== undefined ? diffPlans(before, after) : undefined,
    input: valueDifference(inputOf(ours), inputOf(theirs)),
    event: firstDifference(ours, theirs),
    steps: stepRows(left, right),
    output: valueDifference(outputOf(ours), outputOf(theirs)),
  }
}

function stepRows(left: Compared, right: Compared): readonly StepRow[] {
  const [one, other] = [snapshotOf(left), snapshotOf(right)]
  const [ours, theirs] = [left.history, right.history]
  const [mineOf, yoursOf] = [resultsOf(ours.records), resultsOf(theirs.records)]
  const [taken, takenThere] = [takenSteps(ours.records), takenSteps(theirs.records)].map((steps) => new Set(steps))
  const all = new Set([...one.steps, ...other.steps].map(({ stepId }) => stepId))
  return [...all].map((stepId) => {
    const mine = one.steps.find((step) => step.stepId === stepId)
    const yours = other.steps.find((step) => step.stepId === stepId)
    const result = valueDifference(mineOf.get(stepId), yoursOf.get(stepId))
    const isEqual = result.kind === 'none' || (result.kind === 'known' && result.fields.length === 0)
    return {
      stepId,
      left: mine,
      right: yours,
      leftMs: tookMs(mine),
      rightMs: tookMs(yours),
      isLeftTaken: taken?.has(stepId) === true,
      isRightTaken: takenThere?.has(stepId) === true,
      result,
      isSame: isEqual && JSON.stringify(outcomeOf(mine)) === JSON.stringify(outcomeOf(yours)),
    }
  })
}

function snapshotOf({ history, lastSeq }: Compared): RunSnapshot {
  return history.snapshotAt(lastSeq)
}

function outcomeOf(step: StepSnapshot | undefined): object | undefined {
  if (step === undefined) return undefined
  const { status, attempts, error, items, compensation } = step
  return { status, attempts: attempts.length, code: error?.code, items, undone: compensation?.status }
}

/** Of a step that has ended. */
function tookMs(step: StepSnapshot | undefined): number | undefined {
  const began = msFromIso(step?.startedAt ?? '')
  const ended = msFromIso(step?.completedAt ?? '')
  return began === undefined || ended === undefined ? undefined : Math.max(0, ended - began)
}

/** The last result of each slot. */
function resultsOf(records: readonly LogRecord[]): ReadonlyMap<string, Recorded> {
  const results = new Map<string, Recorded>()
  for (const record of records) {
    const slot = record.eventType === 'StepCompleted' ? stepSlotOf(record) : undefined
    if (slot !== undefined) results.set(slot, recordedIn(record, 'result', 'resultRef', undefined))
  }
  return results
}

/** Undefined for a run that has not completed. */
function outputOf(records: readonly LogRecord[]): Recorded | undefined {
  const end = records.findLast(({ eventType }) => eventType === 'RunCompleted')
  return end === undefined ? undefined : recordedIn(end, 'output', 'outputRef', undefined)
}

function valueDifference(left: Recorded | undefined, right: Recorded | undefined): ValueDifference {
  if (left === undefined && right === undefined) return { kind: 'none' }
  if (left === undefined || right === undefined) return { kind: 'one' }
  if (left.kind === 'erased' || right.kind === 'erased') return { kind: 'unknown' }
  if (left.kind === 'known' && right.kind === 'known')
    return { kind: 'known', fields: diffValues(left.value, right.value, '') }
  const isSame = left.kind === 'aside' && right.kind === 'aside' && left.sha256 === right.sha256
  return isSame ? { kind: 'known', fields: [] } : { kind: 'other' }
}
