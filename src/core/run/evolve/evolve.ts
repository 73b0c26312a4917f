/**
 * The only fold: (state, event) → state. It copies what the event decided and decides nothing; an event type it
 * does not know moves the watermark and nothing else.
 */
import { fail } from '../../problems/problem.ts'
import { fanOutExpanded } from './fan-out.ts'
import type { NextState } from './next-state.ts'
import {
  alertRaised,
  engineHandoff,
  lateOutcomeRecorded,
  manualTaskOpened,
  moveRun,
  runPaused,
  runResumed,
  runStarted,
  signalAccepted,
} from './run.ts'
import { keepPeople, personRefused, signalledBy, startedBy } from './people.ts'
import { instantOr, stepCompleted, stepFailed, stepSkipped, stepStarted } from './steps.ts'
import { compensationCompleted, compensationFailed, compensationStarted } from './compensation.ts'
import type { Payload } from '../../events/event.ts'
import type { FoldEvent } from '../fold-event.ts'
import { AUTO_APPROVER } from '../people/duties.ts'
import type { RunState } from '../state/state.ts'
import { AFTER_END, isTerminalRun, refusedMove, RUN_TRANSITIONS } from '../state/transitions.ts'

type Reducer = (next: NextState, event: FoldEvent) => void

function keepForStart(next: NextState, event: FoldEvent): void {
  const { correlationId, triggerSource, children, locked, approved, namesAsked, rulesVersion } =
    event.payload as Payload<'RunQueued'>
  if (locked !== undefined) next.lock = locked
  if (approved !== undefined) next.approved = approved
  if (namesAsked !== undefined) next.namesAsked = namesAsked
  if (correlationId !== undefined) next.correlationId = correlationId
  if (triggerSource !== undefined) next.triggerSource = triggerSource
  if (children !== undefined) next.children = children
  if (rulesVersion !== undefined) next.rulesVersion = rulesVersion
  keepPeople(next, event)
}

const REDUCERS: { readonly [eventType: string]: Reducer } = {
  RunQueued: (next, event) => {
    moveRun(next, event)
    const { notBefore, autoApprove } = event.payload as Payload<'RunQueued'>
    next.notBefore = instantOr(notBefore, -1)
    next.autoApproves = autoApprove === true
    keepForStart(next, event)
  },
  RunValidated: moveRun,
  RunApproved: (next, event) => {
    moveRun(next, event)
    keepForStart(next, event)
    const { approvedBy } = event.payload as Payload<'RunApproved'>
    if (approvedBy !== undefined && approvedBy !== AUTO_APPROVER) next.approvedBy = approvedBy
  },
  RunStarted: (next, event) => {
    moveRun(next, event)
    runStarted(next, event)
    startedBy(next, event)
  },
  RunPaused: (next, event) => {
    moveRun(next, event)
    runPaused(next, event)
  },
  RunResumed: (next, event) => {
    moveRun(next, event)
    runResumed(next, event)
  },
  RunCompleted: moveRun,
  RunFailed: moveRun,
  RunCancelled: moveRun,
  StepStarted: stepStarted,
  StepCompleted: stepCompleted,
  StepFailed: stepFailed,
  StepSkipped: stepSkipped,
  SignalAccepted: (next, event) => {
    signalAccepted(next, event)
    signalledBy(next, event)
  },
  SignalRejected: personRefused,
  ManualTaskOpened: manualTaskOpened,
  FanOutExpanded: fanOutExpanded,
  CompensationStarted: compensationStarted,
  CompensationCompleted: compensationCompleted,
  CompensationFailed: compensationFailed,
  AlertRaised: alertRaised,
  AlertEscalated: (next) => {
    next.escalations += 1
  },
  EngineHandoff: engineHandoff,
  RulesUpgraded: (next, event) => {
    next.rulesVersion = event.payload['to'] as number
  },
  LateOutcomeRecorded: lateOutcomeRecorded,
  ErasureRecorded: (next) => {
    next.erasures += 1
  },
}

export function evolve(state: RunState, event: FoldEvent): RunState {
  if (event.runSeq <= state.seq) fail('INVALID_TRANSITION', `runSeq ${event.runSeq} after ${state.seq}`)
  const next: NextState = { ...state, seq: event.runSeq, lastNow: Math.max(state.lastNow, event.at) }
  const reduce = Object.hasOwn(REDUCERS, event.eventType) ? REDUCERS[event.eventType] : undefined
  if (reduce === undefined) return next
  if (isTerminalRun(state.status) && !AFTER_END.has(event.eventType)) {
    fail(
      'INVALID_TRANSITION',
      `${event.eventType} after the run has ended`,
      refusedMove(RUN_TRANSITIONS, state.status, event.eventType),
    )
  }
  reduce(next, event)
  return next
}
