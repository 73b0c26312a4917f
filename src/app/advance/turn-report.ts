/**
 * What a turn tells its driver: which effects to carry out now, when to come again, and how the run ended if it did.
 */
import type { Effect } from '../../core/run/effect.ts'
import { summaryOf } from '../../core/run/summary.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import type { TurnResult } from '../../ports/engine.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import { eventWaitChanges } from '../loaded/event-waits.ts'
import type { DecisionRound } from './decision-round.ts'
import type { Turn } from './turn.ts'

const END_EVENTS: ReadonlySet<string> = new Set(['RunCompleted', 'RunFailed', 'RunCancelled'])

/** For a turn that is over: the run's state includes the events that the turn wrote. */
export function reportOf(
  { state, epoch, nextSeq, row }: LoadedRun,
  { round, grants, owedEventWaits, heldUntil, unread }: Turn,
  effects: readonly Effect[] = round.effects,
): TurnResult {
  const terminal = isTerminalRun(state.status)
  const { nextWakeAt, owed } = summaryOf(state, round.cut, grants?.times(state, round), round.lead)
  // An event that was kept for it is in the inbox by now, and nobody rings for that.
  const opensWait = (eventWaitChanges(round.drafts, state, owedEventWaits)?.opened.length ?? 0) > 0
  return {
    epoch,
    headSeq: nextSeq - 1,
    status: state.status,
    effects,
    ...(owed === undefined ? {} : { owed }),
    ...(grants?.freedUnits === true ? { freed: true as const } : {}),
    wakeAt: terminal ? undefined : opensWait ? round.wall : (heldUntil ?? nextWakeAt),
    terminal,
    ...(unread === true ? { inboxEmpty: true as const } : {}),
    ...endOf(round, row.parent !== undefined),
  }
}

/**
 * The run's terminal event, when this turn wrote it: whoever waits for the end need not read the log for it. The same commit told
 * the parent (P-29).
 */
function endOf({ drafts }: DecisionRound, isChild: boolean): Pick<TurnResult, 'end' | 'told'> {
  const last = drafts.findLast(({ draft }) => END_EVENTS.has(draft.eventType))?.draft
  if (last === undefined) return {}
  const { eventType, payload, data } = last
  const end = { eventType, payload, ...(data === undefined ? {} : { data }) }
  return isChild ? { end, told: true } : { end }
}
