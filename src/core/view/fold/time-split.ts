/**
 * How a step's time was spent. Each slot is in one phase at a time and closes it when the next begins; paused time is
 * taken out of waits, not out of work already in flight. Clocks that disagree never give less than zero.
 */
import type { TimeSplit } from './run-snapshot.ts'
import type { Moment, Phase, RunFold, SlotFold } from './run-view.ts'

export function momentOf(run: RunFold, atMs: number): Moment {
  const open = run.pausedSinceMs === undefined ? 0 : Math.max(0, atMs - run.pausedSinceMs)
  return { atMs, pausedMs: run.pausedMs + open }
}

/** The slot in its next phase, with the time of the previous one counted. */
export function enterPhase(slot: SlotFold, at: Moment, next: Phase | undefined): SlotFold {
  const split = slot.phase === undefined ? slot.split : counted(slot.split, slot.phase.name, slot.phase, at)
  return { ...slot, split, phase: next === undefined ? undefined : { ...at, name: next } }
}

/** What a slot waited before its first attempt: until it was ready, then until it was started. */
export function countFirstWait(slot: SlotFold, since: Moment | undefined, ready: Moment, at: Moment): SlotFold {
  if (since === undefined) return slot
  const untilReady = counted(slot.split, 'dependency', since, ready)
  return { ...slot, split: counted(untilReady, 'grant', ready, at) }
}

function counted(split: TimeSplit, phase: Phase | 'dependency', from: Moment, to: Moment): TimeSplit {
  const all = Math.max(0, to.atMs - from.atMs)
  if (phase === 'running') return { ...split, runningMs: split.runningMs + all }
  if (phase === 'human') return { ...split, humanMs: split.humanMs + all }
  const paused = Math.min(all, Math.max(0, to.pausedMs - from.pausedMs))
  const waited = all - paused
  const pauseMs = split.pauseMs + paused
  if (phase === 'retry') return { ...split, pauseMs, retryMs: split.retryMs + waited }
  if (phase === 'grant') return { ...split, pauseMs, grantMs: split.grantMs + waited }
  return { ...split, pauseMs, dependencyMs: split.dependencyMs + waited }
}
