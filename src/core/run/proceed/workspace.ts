/**
 * The working copy inside one decision: drafts written so far and the state folded over them, so that each next
 * draft is decided on what the log will then say.
 */
import type { Payload, EventData, EventType } from '../../events/event.ts'
import { RUN_SLOT } from '../../events/slot.ts'
import { isoFromMs } from '../../time.ts'
import type { Draft } from '../draft.ts'
import { effectId, engineAttemptAt, type Effect } from '../effect.ts'
import { evolve } from '../evolve/evolve.ts'
import { foldEventOfDraft } from '../fold-event.ts'
import type { GrantsAtHand, Input, Need, SlotFacts } from '../input.ts'
import type { RunState } from '../state/state.ts'
import type { Unit } from '../state/unit.ts'
import { slotOfUnit } from '../state/units.ts'

export interface Workspace {
  state: RunState
  readonly now: number
  readonly nowIso: string
  readonly epoch: number
  readonly firstSeq: number
  readonly room: number
  readonly drafts: Draft[]
  readonly effects: Effect[]
  readonly needs: Need[]
  readonly facts: ReadonlyMap<string, SlotFacts>
  readonly grants: GrantsAtHand | undefined
  /** Set when there was more to write than room for it. */
  cut: boolean
}

const NO_FACTS: ReadonlyMap<string, SlotFacts> = new Map()

export function openWorkspace(state: RunState, input: Input, room: number): Workspace {
  return {
    state,
    now: input.now,
    nowIso: isoFromMs(input.now),
    epoch: input.epoch,
    firstSeq: input.nextSeq ?? state.seq + 1,
    room,
    drafts: [],
    effects: [],
    needs: [],
    facts: input.kind === 'continue' ? input.facts : NO_FACTS,
    grants: input.grants,
    cut: false,
  }
}

interface EmitExtras {
  readonly data?: EventData | undefined
  readonly engineAttempt?: number
  readonly causedBySignalId?: string | undefined
  /** The unit the slot names, when it is at hand. */
  readonly unit?: Unit
}

export function emit<T extends EventType>(
  ws: Workspace,
  eventType: T,
  slot: string,
  attempt: number,
  payload: Payload<T>,
  extras: EmitExtras = {},
): void {
  const draft: Draft<T> = {
    eventType,
    slot,
    attempt,
    payload,
    ...(extras.data === undefined || Object.keys(extras.data).length === 0 ? {} : { data: extras.data }),
    ...(extras.engineAttempt === undefined ? {} : { engineAttempt: extras.engineAttempt }),
    ...(extras.causedBySignalId === undefined ? {} : { causedBySignalId: extras.causedBySignalId }),
  }
  const { unit } = extras
  const step = unit === undefined || unit.item >= 0 || unit.fallback ? undefined : unit.step
  ws.state = evolve(ws.state, foldEventOfDraft(draft as Draft, ws.firstSeq + ws.drafts.length, ws.now, step))
  ws.drafts.push(draft as Draft)
}

/** Run-level events count restarts of the engine as their engine attempt. */
export function emitRun<T extends EventType>(
  ws: Workspace,
  eventType: T,
  payload: Payload<T>,
  extras: EmitExtras & { attempt?: number } = {},
): void {
  emit(ws, eventType, RUN_SLOT, extras.attempt ?? 1, payload, { engineAttempt: ws.epoch, ...extras })
}

/** True while another `events` drafts fit; otherwise the decision is cut here and goes on next turn. */
export function hasRoom(ws: Workspace, events = 1): boolean {
  if (ws.drafts.length + events <= ws.room) return true
  ws.cut = true
  return false
}

export function unitEngineAttempt(ws: Workspace, unit: Unit): number {
  return engineAttemptAt(ws.epoch, unit.epoch)
}

/** Asks whoever runs this attempt to stop: an executor, or the child run behind a plan step. */
export function askToStop(ws: Workspace, unit: Unit, isChild: boolean): void {
  const slot = slotOfUnit(ws.state.graph, unit)
  if (isChild) {
    ws.effects.push({
      kind: 'SignalChild',
      id: `${effectId('SignalChild', slot, unit.attempt)}:CANCEL`,
      slot,
      attempt: unit.attempt,
      signalType: 'CANCEL',
      cycle: 0,
    })
    return
  }
  const engineAttempt = unitEngineAttempt(ws, unit)
  ws.effects.push({
    kind: 'CancelStep',
    id: effectId('CancelStep', slot, unit.attempt, engineAttempt),
    slot,
    attempt: unit.attempt,
    engineAttempt,
  })
}
