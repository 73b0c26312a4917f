/**
 * A run as the view's fold keeps it: persistent, so that a step's change costs the same in a plan of ten steps and of
 * 100,000, and every earlier view stays unchanged (PRJ-03). `snapshotOf` makes the public shape from it.
 */
import { vectorOf, type Vector } from '../../collections/vector.ts'
import type { ArtifactRef } from '../../events/event.ts'
import type { AttemptStatus, CompensationStatus, RunStatus } from '../../run/state/transitions.ts'
import { nameIndex, numberOf, type NameIndex } from './name-index.ts'
import type { RunMeta } from './run-meta.ts'
import type { ErrorView, RootCause, TimeSplit } from './run-snapshot.ts'

/** An instant, with the total paused time of the run until then. */
export interface Moment {
  readonly atMs: number
  readonly pausedMs: number
}

export type Phase = 'grant' | 'retry' | 'human' | 'running'

export interface AttemptFold {
  readonly attempt: number
  readonly status: AttemptStatus
  readonly engineAttempt: number
  readonly startedAt: string | undefined
  readonly begunMs: number | undefined
  readonly completedAt: string | undefined
  readonly endedMs: number | undefined
  readonly artifacts: readonly ArtifactRef[]
  readonly error: ErrorView | undefined
  readonly final: boolean
  readonly retryAt: string | undefined
  readonly reason: string | undefined
  readonly reasonCode: string | undefined
  readonly mayHaveRunTwice: boolean
  /** Failed for good, and the plan handles it. Absent otherwise, as in views of earlier versions. */
  readonly handled?: true
  /** Failed, and its fallback runs next. */
  readonly fallbackNext: boolean
  /** Only waits, for a person or a time: not work that a pause has to drain. */
  readonly waitsFor: 'person' | 'time' | undefined
}

export interface CompensationFold {
  readonly status: CompensationStatus
  readonly attempt: number
  readonly startedAt: string | undefined
  readonly completedAt: string | undefined
  readonly error: ErrorView | undefined
  /** When a failed compensation is tried again. */
  readonly retryAt: string | undefined
}

/** One slot: a step, an item, or the fallback of either. */
export interface SlotFold {
  /** Ascending by attempt; the slot shows the last one. */
  readonly attempts: readonly AttemptFold[]
  readonly phase: (Moment & { readonly name: Phase }) | undefined
  readonly settled: Moment | undefined
  readonly split: TimeSplit
  readonly retrySignalId: string | undefined
  readonly compensation: CompensationFold | undefined
}

export interface SlotPair {
  readonly own: SlotFold
  readonly fallback: SlotFold | undefined
}

export interface FanFold {
  readonly total: number
  readonly done: number
  readonly failed: number
  readonly running: number
  /** Items in flight and items that wait for a retry, for the run's tally. */
  readonly working: number
  readonly retrying: number
  /** Items that were undone, and those whose compensation was given up. */
  readonly undone: number
  readonly notUndone: number
  readonly since: Moment | undefined
  readonly items: Vector<SlotPair>
}

export interface StepFold extends SlotPair {
  readonly fan: FanFold | undefined
}

/** Counted as events arrive, so that a substatus needs no loop over the steps. */
export interface Tally {
  readonly inFlight: number
  readonly retrying: number
  readonly failed: number
  /** Steps ended early because the run is ending. */
  readonly cancelled: number
  readonly indeterminate: number
}

export interface RunFold {
  readonly status: RunStatus
  readonly engine: string
  readonly engineRunRef: string | undefined
  readonly startedAt: string | undefined
  readonly begunMs: number | undefined
  readonly completedAt: string | undefined
  readonly endedMs: number | undefined
  readonly rootCause: RootCause | undefined
  readonly artifacts: readonly ArtifactRef[]
  readonly inconsistent: boolean
  /** The clocks of producer and store differed at the last event: told when it begins, not for each event (EVT-32). */
  readonly skewed: boolean
  readonly cancelling: boolean
  readonly timedOut: boolean
  readonly compensating: boolean
  readonly pauseCycle: number
  readonly pausedSinceMs: number | undefined
  readonly pausedMs: number
  /** The pause in force has lasted longer than work in flight may take. */
  readonly drainTimedOut: true | undefined
  /** The last idempotency key by run-level event type: a repeated record changes nothing (PRJ-19). */
  readonly keys: Readonly<Record<string, string>>
  /** How it was queued or delayed. Absent otherwise, as in views of earlier versions. */
  readonly queued?: { readonly policy: 'QUEUE' | 'DELAY'; readonly notBefore?: string; readonly autoApprove: boolean }
}

export interface RunView {
  readonly meta: RunMeta
  readonly names: NameIndex
  /** Names of steps from events that the metadata did not have, from number `meta.stepIds.length` on. */
  readonly extraNames: Vector<string>
  readonly predecessors: ReadonlyMap<number, readonly number[]>
  readonly lastEventSeq: number
  readonly run: RunFold
  readonly tally: Tally
  readonly steps: Vector<StepFold>
  /** Items of all fan-outs. */
  readonly itemCount: number
  readonly artifacts: Vector<ArtifactRef>
}

const NO_TIME: TimeSplit = Object.freeze({
  dependencyMs: 0,
  grantMs: 0,
  retryMs: 0,
  pauseMs: 0,
  humanMs: 0,
  runningMs: 0,
})

export const EMPTY_SLOT: SlotFold = Object.freeze({
  attempts: Object.freeze([]),
  phase: undefined,
  settled: undefined,
  split: NO_TIME,
  retrySignalId: undefined,
  compensation: undefined,
})

export const EMPTY_PAIR: SlotPair = Object.freeze({ own: EMPTY_SLOT, fallback: undefined })
export const EMPTY_STEP: StepFold = Object.freeze({ own: EMPTY_SLOT, fallback: undefined, fan: undefined })

const NEW_RUN = {
  status: 'PENDING',
  engineRunRef: undefined,
  startedAt: undefined,
  begunMs: undefined,
  completedAt: undefined,
  endedMs: undefined,
  rootCause: undefined,
  artifacts: [],
  inconsistent: false,
  skewed: false,
  cancelling: false,
  timedOut: false,
  compensating: false,
  pauseCycle: 0,
  pausedSinceMs: undefined,
  pausedMs: 0,
  drainTimedOut: undefined,
  keys: {},
} as const satisfies Omit<RunFold, 'engine'>

export function emptyView(meta: RunMeta): RunView {
  const names = nameIndex(meta.stepIds)
  return {
    meta,
    names,
    extraNames: vectorOf(0),
    predecessors: predecessorsOf(meta, names),
    lastEventSeq: 0,
    run: { ...NEW_RUN, engine: meta.engineType ?? 'embedded' },
    tally: { inFlight: 0, retrying: 0, failed: 0, cancelled: 0, indeterminate: 0 },
    steps: vectorOf(meta.stepIds.length),
    itemCount: 0,
    artifacts: vectorOf(0),
  }
}

/** Steps and items: a stored view grows with them (P-51). */
export function slotCount(view: RunView): number {
  return view.names.size + view.itemCount
}

function predecessorsOf(meta: RunMeta, names: NameIndex): ReadonlyMap<number, readonly number[]> {
  const out = new Map<number, number[]>()
  for (const [from, to] of meta.edges ?? []) {
    const [before, after] = [numberOf(names, from), numberOf(names, to)]
    if (before === undefined || after === undefined) continue
    const known = out.get(after)
    if (known === undefined) out.set(after, [before])
    else known.push(before)
  }
  return out
}
