/**
 * The decisions of one turn of `advance`, in their order: a hand-over, a pause of the scope, what the caller tells, the inbox,
 * the start, timers that are due, and what an earlier turn had no room for (P-06, P-11).
 */
import type { KeelsonError } from '../../core/problems/problem.ts'
import type { InputBody } from '../../core/run/input.ts'
import { isTerminalRun } from '../../core/run/state/transitions.ts'
import type { InboxRow } from '../../ports/run-store.ts'
import type { StartClaim } from '../admission/start-claim.ts'
import type { RunGrants } from '../grants/run-grants.ts'
import { inboxInput, type ChildEnd } from '../inbox/input.ts'
import { scopePauseFor } from '../inbox/scope-pauses.ts'
import { BLIND, readSeen, UNREAD, type Seen } from '../inbox/seen.ts'
import { withAssignment } from '../inbox/task-assignment.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import type { RunMoment } from '../loaded/run-times.ts'
import { isWorkers } from '../work/record.ts'
import type { Services } from '../services.ts'
import { childReport, endOfChild } from './child-end.ts'
import { DecisionRound } from './decision-round.ts'
import { owedEventWaits } from '../loaded/event-waits.ts'
import { fireTimers, startWhenDue } from './due-timers.ts'
import { prepareOutcome } from './prepare-outcome.ts'
import { takeEvent } from './take-event.ts'
import {
  engineOf,
  handedOver,
  handoffInput,
  isTaking,
  type AdvanceRequest,
  type AdvanceTurn,
  type Told,
} from './turn.ts'

/** What a turn is decided with besides the run. */
export interface TurnMeans {
  readonly services: Services
  readonly at: RunMoment
  readonly grants: RunGrants | undefined
  /** What its start claims, or that it must wait. */
  readonly start: StartClaim
  /** Why the store is not asked for inbox rows and pauses: it does not answer. */
  readonly blind?: KeelsonError | undefined
  /** What is known of inbox and pauses; read when absent. */
  readonly seen?: Seen | undefined
}

export async function decideTurn(run: LoadedRun, request: AdvanceRequest, means: TurnMeans): Promise<AdvanceTurn> {
  const { at, grants, blind } = means
  const { store, failOpen } = means.services
  const { runKey } = run.row
  const wall = at.now - at.lead
  // A run that has ended stays as it ended: whoever found it due a moment earlier takes nothing over.
  const isTaken = isTaking(request) && !isTerminalRun(run.state.status)
  const epoch = isTaken ? run.epoch + 1 : run.epoch
  grants?.mayFree(request.reports ?? [], run.state)
  const round = new DecisionRound(store, run, at, epoch, grants?.atHand(wall))
  if (request.handoff !== undefined) await round.take(handoffInput(run, request.handoff))
  if (isTaken) {
    const claims = (await store.readClaims(runKey)).filter((claim) => !isWorkers(claim))
    await round.take({ kind: 'adopt', claims })
  }
  const seen = means.seen ?? (blind === undefined ? await readSeen(store, run) : BLIND)
  const paused = scopePauseFor(seen.pauses, run.identity, run.state)
  if (paused !== undefined) await round.take(paused)
  for (const input of request.inputs ?? []) if (input.kind !== 'start' || !means.start.isHeld) await round.take(input)
  const left = [...(request.reports ?? [])]
  for (let report = left[0]; report !== undefined && !round.isFull; report = left[0]) {
    await takeReport(run, round, means.services, { report })
    left.shift()
  }
  const consumed: { inboxId: string; seq: number }[] = []
  for (const row of seen.inboxRows) {
    if (round.isFull) break
    consumed.push({ inboxId: row.inboxId, seq: round.nextSeq })
    await takeInboxRow(run, round, means, row)
  }
  const { startAs } = request
  const how = { intentLate: failOpen !== undefined, ...(startAs === undefined ? {} : { startAs }) }
  const starting = means.start.isHeld ? undefined : startWhenDue(store, run, round, how)
  if (starting !== undefined) await starting
  const firing = fireTimers(round, grants?.isWaiting === true)
  if (firing !== undefined) await firing
  const rest = { kind: 'continue', cause: `cut:${round.firstSeq}`, facts: new Map() } as const
  if (round.drafts.length === 0 || round.cut) await round.take(rest)
  if (grants?.isLifted(round.state) === true) {
    round.grants = grants.atHand(wall, round.state)
    await round.take(rest)
  }
  const owed = isTaken && run.plan.graph.anyEvents ? await owedEventWaits(store, runKey, run.state) : []
  return {
    round,
    consumed,
    left,
    grants,
    blind,
    unread: seen === UNREAD,
    heldUntil: means.start.heldUntil(round.state, wall),
    ...(owed.length === 0 ? {} : { owedEventWaits: owed }),
    ...engineOf(round, request),
    ...handedOver(run, request, epoch),
  }
}

async function takeInboxRow(
  run: LoadedRun,
  round: DecisionRound,
  { services, grants }: TurnMeans,
  row: InboxRow,
): Promise<void> {
  const { store } = services
  const one = inboxInput(row)
  if (one.kind === 'input' && one.input.kind === 'grant') {
    grants?.offered(one.input.slot)
    round.grants = grants?.atHand(round.wall)
  }
  if (one.kind === 'input') await round.take(await withAssignment(store, run, round, one.input))
  else if (one.kind === 'event') await takeEvent(run, round, services, one.notice)
  else if (one.kind === 'report') await takeReport(run, round, services, one)
  else if (one.kind === 'child')
    await takeReport(run, round, services, { report: await childReport(store, one.body) }, one.body)
}

async function takeReport(
  run: LoadedRun,
  round: DecisionRound,
  { store, handlers }: Services,
  told: Told,
  child?: ChildEnd,
): Promise<void> {
  const { report } = told
  const preparing = prepareOutcome(report, {
    store,
    run,
    state: round.state,
    seq: run.nextSeq - 1,
    pending: round.pending,
    buildId: handlers.buildId,
  })
  const prepared = preparing instanceof Promise ? await preparing : preparing
  const stale = report.stale === true || (report.epoch !== undefined && report.epoch < round.epoch)
  const asked = withAssignment(store, run, round, prepared.input, told.seenChanges)
  const judged = asked instanceof Promise ? await asked : asked
  const input: InputBody = child === undefined ? judged : endOfChild(prepared.input, child)
  const taking = round.take(stale && input.kind === 'outcome' ? { ...input, stale } : input, prepared)
  if (taking !== undefined) await taking
}
