/**
 * From a turn to its commit and back: what the store writes beside the events of a decision round, and how the fold at hand
 * goes on once they are written.
 */
import { keptWake, mayBeWokenEarly, summaryOf, type StateSummary } from '../../core/run/summary.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import type { RunCommit } from '../../ports/run-store.ts'
import { expectedOf, type LoadedRun } from '../loaded/load-run.ts'
import { childEndNotice } from './child-end.ts'
import { eventWaitChanges } from '../loaded/event-waits.ts'
import type { BesideEvents, DecidedTurn, CommittedTurn } from './commit-turn.ts'
import type { Turn } from './turn.ts'

/** What a turn asks of the grants that runs share. */
export type GrantParts = Pick<RunCommit, 'claims' | 'releases' | 'waits'>

/** Asked before anything is sealed: a turn that leaves nothing behind is not written. */
export function isEmpty(run: LoadedRun, turn: Turn, { waits }: GrantParts): boolean {
  const { round, consumed } = turn
  const tells = round.drafts.length > 0 || consumed.length > 0 || round.epoch !== run.epoch || waits !== undefined
  if (tells || !mayBeWokenEarly(run.summary, round.state, round.wall)) return !tells
  return (exactSummary(turn).nextWakeAt ?? Infinity) <= round.wall
}

function exactSummary({ round, grants, heldUntil }: Turn): StateSummary {
  const summary = summaryOf(round.state, round.cut, grants?.times(round.state, round), round.lead)
  return heldUntil === undefined ? summary : { ...summary, nextWakeAt: heldUntil }
}

export function decidedTurn(run: LoadedRun, turn: Turn, grantParts: GrantParts = {}): DecidedTurn {
  const { round, blind } = turn
  return {
    drafts: round.drafts,
    now: round.now,
    beside: besideEvents(run, turn, grantParts),
    state: round.state,
    blind,
  }
}

function besideEvents(run: LoadedRun, turn: Turn, grantParts: GrantParts): BesideEvents {
  const { round, consumed, create, labels, engine, lease } = turn
  const eventWaits = eventWaitChanges(round.drafts, round.state, turn.owedEventWaits)
  const epochChanged = round.epoch !== run.epoch
  const ended = isTerminalRun(round.state.status) && !isTerminalRun(run.state.status)
  return {
    ...(create === undefined ? { runKey: run.row.runKey } : { create }),
    ...(labels === undefined ? {} : { labels }),
    expected: expectedOf(run, epochChanged || round.drafts.length + consumed.length > 0),
    known: { tenantId: run.identity.tenantId, summary: run.summary },
    ...(epochChanged ? { newEpoch: round.epoch } : {}),
    ...(turn.unread === true ? { unread: true } : {}),
    summary: keptWake(run.summary, round.state, exactSummary(turn), round.wall),
    consumed,
    context: round.context,
    ...(round.blobs.length === 0 ? {} : { blobs: round.blobs }),
    notify: ended ? childEndNotice(run, round) : (turn.inboxRows ?? []),
    ...(engine === undefined ? {} : { engine }),
    ...(lease === undefined ? {} : { lease }),
    ...(eventWaits === undefined ? {} : { eventWaits }),
    ...grantParts,
  }
}

/** The fold at hand becomes what was just committed, so that the log need not be read again. */
export function goOn(run: LoadedRun, { round }: Turn, { headHash }: CommittedTurn, { beside }: DecidedTurn): void {
  run.state = round.state
  run.epoch = round.epoch
  run.nextSeq = round.nextSeq
  run.headHash = headHash
  run.summary = beside.summary
  run.values.take(round.values)
}
