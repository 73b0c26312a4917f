/** The state of a run before its first event. */
import { bitTree } from '../../collections/bit-tree.ts'
import { vectorOf } from '../../collections/vector.ts'
import type { PlanGraph } from '../../plan/compile/graph.ts'
import type { RunState } from './state.ts'
import type { Unit } from './unit.ts'

const NOBODY: Pick<RunState, 'people' | 'approvedBy' | 'approved' | 'namesAsked' | 'changes' | 'refusals'> = {
  people: { makers: [], approvals: [], stoppedBy: [] },
  approvedBy: '',
  approved: undefined,
  namesAsked: undefined,
  changes: 0,
  refusals: 0,
}

const NOT_PAUSED: Pick<RunState, 'pauseCycle' | 'pausedAt' | 'pausedMs' | 'scopePauses' | 'drainTimedOut'> = {
  pauseCycle: 0,
  pausedAt: -1,
  pausedMs: 0,
  scopePauses: [],
  drainTimedOut: undefined,
}

const NOTHING_TAKEN: Pick<RunState, 'paramChanges' | 'usedEvents'> = { paramChanges: undefined, usedEvents: undefined }

const NOT_QUEUED: Pick<RunState, 'notBefore' | 'autoApproves'> = { notBefore: -1, autoApproves: false }

function nothingSkipped(count: number): Pick<RunState, 'early' | 'skippedByCondition'> {
  return { early: bitTree(count), skippedByCondition: bitTree(count) }
}

export function initialState(graph: PlanGraph): RunState {
  const count = graph.steps.length
  const fallbacks = graph.steps.filter((step) => step.fallback !== undefined && step.forEach === undefined).length
  return {
    graph,
    status: 'PENDING',
    seq: 0,
    lastNow: 0,
    // Nothing is pinned before RunStarted, and every version decides alike until then.
    rulesVersion: 1,
    engineType: 'embedded',
    startedAt: -1,
    endedAt: -1,
    correlationId: '',
    triggerSource: '',
    intentLate: false,
    compensationOf: '',
    children: null,
    limit: graph.plan.policy.concurrency,
    units: vectorOf<Unit>(count + fallbacks),
    unitCount: count + fallbacks,
    pending: vectorOf<number>(count),
    ready: bitTree(count),
    readyFree: bitTree(count),
    ...nothingSkipped(count),
    inFlight: bitTree(count + fallbacks),
    parked: bitTree(count + fallbacks),
    openFans: bitTree(count),
    doneFans: bitTree(count),
    slotsInUse: 0,
    backoffs: 0,
    satisfied: 0,
    failed: 0,
    indeterminate: 0,
    closed: 0,
    failures: undefined,
    completions: undefined,
    notCompensable: 0,
    compensation: undefined,
    retries: undefined,
    waits: undefined,
    timers: undefined,
    ...NOT_PAUSED,
    cancelling: undefined,
    failing: false,
    runTimeoutAt: -1,
    timedOutAt: -1,
    ...NOT_QUEUED,
    endSkipsFrom: -1,
    ...NOTHING_TAKEN,
    overrides: new Map(),
    erasures: 0,
    escalations: 0,
    ...NOBODY,
    lock: undefined,
  }
}
