/**
 * decide: (plan, state, input) → { drafts, effects, needs }. Pure; the same inputs give the same bytes in any process, engine or
 * year. This file only dispatches: each input has its own file beside it, and proceed/ decides what follows from the new state.
 */
import { LIMITS } from '../../limits.ts'
import type { PlanGraph } from '../../plan/compile/graph.ts'
import { decideAdopt } from './adopt.ts'
import { decideErase } from './erase.ts'
import { decideEvent } from './event.ts'
import { decideFork } from './fork.ts'
import { decideHandoff } from './handoff.ts'
import { decideOutcome } from './outcome.ts'
import { decideScope } from './pause.ts'
import { proceed } from '../proceed/proceed.ts'
import { decideSignal } from './signal.ts'
import { decideAdmit, decideApprove, decideStart } from './start.ts'
import { askChildrenToStop } from '../proceed/stop.ts'
import { decideTimer } from './timer.ts'
import { decideUpgrade } from './upgrade.ts'
import { openWorkspace, type Workspace } from '../proceed/workspace.ts'
import type { Draft } from '../draft.ts'
import type { Effect } from '../effect.ts'
import type { Input, Need } from '../input.ts'
import type { RunState } from '../state/state.ts'

export interface DecisionResult {
  readonly drafts: readonly Draft[]
  readonly effects: readonly Effect[]
  readonly needs: readonly Need[]
  /** There was more to write than room; go on with a `continue` next turn (P-11). */
  readonly cut: boolean
  /** The state folded over the drafts: equal to folding the committed events. */
  readonly state: RunState
}

export function decide(graph: PlanGraph, state: RunState, input: Input): DecisionResult {
  const ws = openWorkspace(
    state.graph === graph ? state : { ...state, graph },
    input,
    input.room ?? LIMITS.appendEvents,
  )
  takeIn(ws, input)
  if (!state.failing && ws.state.failing) askChildrenToStop(ws)
  proceed(ws)
  if (!state.failing && ws.state.failing && ws.state.inFlight.size > 0) askChildrenToStop(ws)
  return { drafts: ws.drafts, effects: distinct(ws.effects), needs: ws.needs, cut: ws.cut, state: ws.state }
}

function distinct(effects: readonly Effect[]): readonly Effect[] {
  if (effects.length < 2) return effects
  return [...new Map(effects.map((effect) => [effect.id, effect])).values()]
}

function takeIn(ws: Workspace, input: Input): void {
  switch (input.kind) {
    case 'admit':
      return decideAdmit(ws, input)
    case 'approve':
      return decideApprove(ws, input)
    case 'start':
      return decideStart(ws, input)
    case 'outcome':
      return decideOutcome(ws, input)
    case 'child':
      return decideOutcome(ws, { ...input, engineAttempt: 1 })
    case 'event':
      return decideEvent(ws, input)
    case 'signal':
      return decideSignal(ws, input)
    case 'scope':
      return decideScope(ws, input)
    case 'timer':
      return decideTimer(ws, input)
    case 'adopt':
      return decideAdopt(ws, input)
    case 'handoff':
      return decideHandoff(ws, input)
    case 'upgrade':
      return decideUpgrade(ws, input)
    case 'fork':
      return decideFork(ws, input)
    case 'erase':
      return decideErase(ws, input)
    case 'grant':
    case 'continue':
      return
  }
}
