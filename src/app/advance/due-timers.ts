/** What time alone brings about in a turn: the start of a delayed run and every due timer, in order (P-25, BPQ-04). */
import type { Payload } from '../../core/events/event.ts'
import { isStartable } from '../../core/run/state/is-startable.ts'
import { nextTimer, type DueTimer } from '../../core/run/state/timers.ts'
import type { RunStore } from '../../ports/run-store.ts'
import type { DecisionRound } from './decision-round.ts'
import type { LoadedRun } from '../loaded/load-run.ts'
import { recordOf } from '../log/read-events.ts'
import { eventAt } from '../log/stored-events.ts'
import { startOfRow, type StartOfRow } from './start-input.ts'

/**
 * A delayed run starts once its instant has come and somebody approved it (BPQ-04); a run of an outside engine when that
 * engine first asks, under the name the engine has for it (P-45).
 */
export function startWhenDue(
  store: Pick<RunStore, 'readEvents'>,
  run: LoadedRun,
  round: DecisionRound,
  how: StartOfRow,
): Promise<void> | undefined {
  const { notBefore } = round.state
  const isDue = notBefore < 0 ? how.startAs !== undefined : notBefore <= round.wall
  return isStartable(round.state) && isDue ? start(store, run, round, how) : undefined
}

async function start(
  store: Pick<RunStore, 'readEvents'>,
  run: LoadedRun,
  round: DecisionRound,
  how: StartOfRow,
): Promise<void> {
  const report = await recordedReport(store, run)
  await round.take(startOfRow(run, report === undefined ? how : { ...how, report }))
}

/** What was found when the run was admitted: its first event, if anything was (CAP-11). */
export async function recordedReport(
  store: Pick<RunStore, 'readEvents'>,
  { row }: LoadedRun,
): Promise<Payload<'RunValidated'> | undefined> {
  const first = await eventAt(store, row.runKey, 1)
  if (first?.eventType !== 'RunValidated') return undefined
  const record = recordOf(first)
  return record.ok ? (record.value.payload as Payload<'RunValidated'>) : undefined
}

/**
 * Fires every due timer by (dueAt, id), absolute ones by the wall clock. One that decides nothing now would come round for ever, so it is left.
 */
export function fireTimers(round: DecisionRound, waitsForGrants: boolean): Promise<void> | undefined {
  return dueNow(round, waitsForGrants) === undefined ? undefined : fireAll(round, waitsForGrants)
}

function dueNow(round: DecisionRound, waitsForGrants: boolean): DueTimer | undefined {
  const due = nextTimer(round.state, waitsForGrants ? round.now : undefined, round.lead)
  if (due === undefined || due.dueAt > round.now || due.timer === 'not-before' || round.isFull) return undefined
  return due
}

async function fireAll(round: DecisionRound, waitsForGrants: boolean): Promise<void> {
  for (let due = dueNow(round, waitsForGrants); due !== undefined; due = dueNow(round, waitsForGrants)) {
    const before = round.drafts.length
    await round.take({ kind: 'timer', timer: due.timer })
    if (round.drafts.length === before) return
  }
}
