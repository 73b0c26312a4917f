/**
 * The waits for events that a turn opens and ends, as rows beside its events (P-54): the sender of an event looks for them in the
 * store, without reading a log.
 */
import { eventOf } from '../../core/plan/plan.ts'
import type { Draft } from '../../core/run/draft.ts'
import { openEventWaits } from '../../core/run/state/event-waits.ts'
import type { RunState } from '../../core/run/state/state.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import { locate, stepAt } from '../../core/run/state/units.ts'
import type { EventWaitChanges, EventWaitRow } from '../../ports/events.ts'
import type { RunStore } from '../../ports/run-store.ts'
import { recordOf } from '../log/read-events.ts'
import { eventsAt } from '../log/stored-events.ts'

/**
 * Undefined for most turns: then nothing is written. `owed`: waits that were open before, for a process that takes a run over.
 */
export function eventWaitChanges(
  drafts: readonly { readonly draft: Draft }[],
  state: RunState,
  owed: readonly EventWaitRow[] = [],
): EventWaitChanges | undefined {
  if (!state.graph.anyEvents) return undefined
  const opened = new Map(owed.map((row) => [`${row.slot}#${row.attempt}`, row]))
  const closed: Pick<EventWaitRow, 'slot' | 'attempt'>[] = []
  for (const { draft } of drafts) {
    const { slot, attempt } = draft
    if (draft.eventType === 'StepStarted') {
      const row = rowOf(draft, state)
      if (row !== undefined) opened.set(`${slot}#${attempt}`, row)
    } else if (draft.eventType === 'StepCompleted' || draft.eventType === 'StepFailed') {
      if (opened.delete(`${slot}#${attempt}`) && !owed.some((row) => row.slot === slot)) continue
      if (waitAt(state, slot) !== undefined) closed.push({ slot, attempt })
    }
  }
  if (isTerminalRun(state.status)) return { opened: [], closed: 'all' }
  return opened.size + closed.length === 0 ? undefined : { opened: [...opened.values()], closed }
}

function waitAt(state: RunState, slot: string): ReturnType<typeof eventOf> {
  const unit = locate(state, slot)?.unit
  return unit === undefined || unit.fallback ? undefined : eventOf(stepAt(state.graph, unit.step))
}

function rowOf({ slot, attempt, payload, data }: Draft, state: RunState): EventWaitRow | undefined {
  const { forEvent } = payload as { readonly forEvent?: string }
  return forEvent === undefined
    ? undefined
    : { slot, attempt, name: forEvent, key: keyOf(data?.facts, waitAt(state, slot)?.key) }
}

/** A mapped key is a fact of its StepStarted; any other is in the plan. */
export function keyOf(facts: unknown, written: string | undefined): string {
  const mapped = (facts as { readonly eventKey?: unknown } | undefined)?.eventKey
  return typeof mapped === 'string' ? mapped : (written ?? '')
}

/**
 * All waits that the log says are open. A process that takes a run over writes them again: after a restore of the store its rows
 * may be gone, and a wait that no sender finds would never end.
 */
export async function owedEventWaits(
  store: Pick<RunStore, 'readEvents'>,
  runKey: number,
  state: RunState,
  only?: string,
): Promise<readonly EventWaitRow[]> {
  const rows: EventWaitRow[] = []
  const open = [...openEventWaits(state)].filter(({ slot }) => only === undefined || only === slot)
  const starts = await eventsAt(
    store,
    runKey,
    open.map(({ startedSeq }) => startedSeq),
  )
  for (const { slot, attempt, wait, startedSeq } of open) {
    const stored = starts.get(startedSeq)
    const record = stored === undefined ? undefined : recordOf(stored)
    const facts = record?.ok === true ? record.value.data?.['facts'] : undefined
    rows.push({ slot, attempt, name: wait.forEvent, key: keyOf(facts, wait.key) })
  }
  return rows
}
