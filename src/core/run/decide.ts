/**
 * decide: (plan, state, input) → { drafts, effects, needs }. Pure; the same inputs give the same bytes in any
 * process, engine or year. This file only dispatches: each input has its own file in decide/.
 */
import { forkSlot, RUN_SLOT } from '../events/slot.ts'
import { LIMITS } from '../limits.ts'
import type { PlanGraph } from '../plan/graph.ts'
import { decideAdopt } from './decide/adopt.ts'
import { decideOutcome } from './decide/outcome.ts'
import { decideScope } from './decide/pause.ts'
import { proceed } from './decide/proceed.ts'
import { decideSignal } from './decide/signal.ts'
import { decideAdmit, decideApprove, decideStart } from './decide/start.ts'
import { askChildrenToStop } from './decide/stop.ts'
import { decideTimer } from './decide/timer.ts'
import { emit, emitRun, openWorkspace, type Workspace } from './decide/workspace.ts'
import type { Draft } from './draft.ts'
import type { Effect } from './effect.ts'
import type { Input, Need } from './input.ts'
import type { RunState } from './state.ts'
import { isTerminalRun } from './transitions.ts'

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
    case 'signal':
      return decideSignal(ws, input)
    case 'scope':
      return decideScope(ws, input)
    case 'timer':
      return decideTimer(ws, input)
    case 'adopt':
      return decideAdopt(ws, input)
    case 'handoff':
      if (isTerminalRun(ws.state.status)) return
      return emitRun(ws, 'EngineHandoff', { ...input.payload, epoch: ws.epoch }, { attempt: ws.epoch })
    case 'upgrade':
      if (input.to > ws.state.rulesVersion && !isTerminalRun(ws.state.status))
        emitRun(ws, 'RulesUpgraded', { from: ws.state.rulesVersion, to: input.to }, { attempt: input.to })
      return
    case 'fork':
      // An old run is marked as forked after its end only (P-31).
      if (!isTerminalRun(ws.state.status)) return
      return emit(ws, 'RunForked', forkSlot(input.payload.newRunId), 1, input.payload)
    case 'erase':
      if (!isTerminalRun(ws.state.status)) return
      return emit(ws, 'ErasureRecorded', RUN_SLOT, ws.state.erasures + 1, input.payload, {
        data: input.notes === undefined ? undefined : { notes: input.notes },
      })
    case 'grant':
    case 'continue':
      return
  }
}
