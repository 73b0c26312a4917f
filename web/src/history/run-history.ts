/**
 * A run as the page holds it: the events it was given, and the core's own two folds of them at any moment. Folds are kept
 * every 500 events, so that going to any event costs at most as many; nothing is computed here that the core does not decide.
 */
import { isForeign } from '../../../src/core/engine/engine-type.ts'
import type { LogRecord } from '../../../src/core/events/event.ts'
import { stepSlotOf } from '../../../src/core/events/slot-of.ts'
import { compileGraph, type PlanGraph } from '../../../src/core/plan/compile/graph.ts'
import type { Plan } from '../../../src/core/plan/plan.ts'
import { evolve } from '../../../src/core/run/evolve/evolve.ts'
import { explain, type Cause } from '../../../src/core/run/explain/explain.ts'
import { foldEventOfRecord } from '../../../src/core/run/fold-event.ts'
import type { RunState } from '../../../src/core/run/state/state.ts'
import { initialState } from '../../../src/core/run/state/initial-state.ts'
import { msFromIso } from '../../../src/core/time.ts'
import { runMetaOf } from '../../../src/core/view/fold/run-meta.ts'
import { emptyView, type RunView } from '../../../src/core/view/fold/run-view.ts'
import { incrementalProject } from '../../../src/core/view/project/project-run.ts'
import type { RunSnapshot } from '../../../src/core/view/fold/run-snapshot.ts'
import { Folds } from './folds.ts'
import { StepSnapshots } from './step-snapshots.ts'

const RUN_MOVES: ReadonlySet<string> = new Set([
  'RunStarted',
  'RunPaused',
  'RunResumed',
  'RunCancelled',
  'RunFailed',
  'RunCompleted',
])

export class RunHistory {
  readonly runId: string
  /** Absent, like its graph, where the plan of an imported run is not stored. */
  readonly plan: Plan | undefined
  readonly graph: PlanGraph | undefined
  readonly #records: LogRecord[] = []
  readonly #instants: number[] = []
  readonly #runMoves: LogRecord[] = []
  readonly #doneBy = new Map<string, { readonly seq: number; readonly actorId: string }>()
  readonly #views: Folds<RunView, LogRecord>
  readonly #steps = new StepSnapshots()
  readonly #states: Folds<RunState, LogRecord> | undefined

  constructor(runId: string, plan: Plan | undefined, engineType: string) {
    this.runId = runId
    this.plan = plan
    this.graph = plan === undefined ? undefined : compileGraph(plan)
    const meta =
      this.graph === undefined
        ? { runId, stepIds: [] }
        : runMetaOf(runId, this.graph, isForeign({ engineType }) ? undefined : engineType)
    this.#views = new Folds(emptyView(meta), (view, record) => incrementalProject(view, [record]).view)
    this.#states =
      this.graph === undefined
        ? undefined
        : new Folds(initialState(this.graph), (state, record) => evolve(state, foldEventOfRecord(record)))
  }

  /** In their order; what is known already is left out. */
  add(records: readonly LogRecord[]): void {
    for (const record of records) {
      if (record.runSeq <= this.lastSeq) continue
      this.#records.push(record)
      this.#instants.push(msFromIso(record.emittedAt) ?? 0)
      if (RUN_MOVES.has(record.eventType)) this.#runMoves.push(record)
      const actorId = record.payload?.['actorId']
      const slot = typeof actorId === 'string' && record.eventType === 'StepCompleted' ? stepSlotOf(record) : undefined
      if (slot !== undefined) this.#doneBy.set(slot, { seq: record.runSeq, actorId: String(actorId) })
    }
  }

  get records(): readonly LogRecord[] {
    return this.#records
  }

  get lastSeq(): number {
    return this.#records.at(-1)?.runSeq ?? 0
  }

  /** When each of them happened. */
  get instants(): readonly number[] {
    return this.#instants
  }

  /** The events by which the run itself was started, paused, resumed and ended: few, however long the log is. */
  get runMoves(): readonly LogRecord[] {
    return this.#runMoves
  }

  /** The person who completed a step, once event `seq` is there. */
  doneBy(slot: string, seq: number): string | undefined {
    const done = this.#doneBy.get(slot)
    return done === undefined || done.seq > seq ? undefined : done.actorId
  }

  /** How many events there were when event `seq` was the last. */
  countAt(seq: number): number {
    let [low, high] = [0, this.#records.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#records[middle]?.runSeq ?? 0) <= seq) low = middle + 1
      else high = middle
    }
    return low
  }

  /** The last event at or before `seq`. */
  recordAt(seq: number): LogRecord | undefined {
    return this.#records[this.countAt(seq) - 1]
  }

  viewAt(seq: number): RunView {
    return this.#views.after(this.#records, this.countAt(seq))
  }

  snapshotAt(seq: number): RunSnapshot {
    return this.#steps.snapshotOf(this.viewAt(seq))
  }

  /** What the decider decided on after event `seq`; undefined where there is no plan. */
  stateAt(seq: number): RunState | undefined {
    return this.#states?.after(this.#records, this.countAt(seq))
  }

  /** Under which its driver wrote, as the last event that says so tells. */
  epochAt(seq: number): number {
    const told = this.#records.findLast(
      ({ runSeq, payload }) => runSeq <= seq && typeof payload?.['epoch'] === 'number',
    )
    return Number(told?.payload?.['epoch'] ?? 1)
  }

  /** What held a slot after event `seq`; undefined where there is no plan to tell it from. */
  whyAt(slot: string, seq: number, now = this.msAt(seq)): readonly Cause[] | undefined {
    const state = this.stateAt(seq)
    return this.graph === undefined || state === undefined ? undefined : explain(this.graph, state, slot, now)
  }

  /** The instant of an event. */
  msAt(seq: number): number {
    return this.#instants[this.countAt(seq) - 1] ?? 0
  }
}
