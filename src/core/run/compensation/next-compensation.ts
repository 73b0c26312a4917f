/** Which compensation is next, and how many attempts a compensation has had: read from the state. */
import type { Chain, Completion, RunState } from '../state/state.ts'
import type { Unit } from '../state/unit.ts'

/** What is undone next: the newest completion with a compensation that was not looked at yet. */
export function nextCompensation(state: RunState): Chain<Completion> | undefined {
  return state.compensation === undefined ? state.completions : state.compensation.rest
}

/** Among the late marks of a unit: an engine attempt of its compensation that has reported. */
export function compensationMark(attempt: number, engineAttempt: number): string {
  return `COMP:${attempt}:${engineAttempt}`
}

/** How many attempts at undoing a slot were begun: the one under way, else the last that has reported. */
export function compensationAttempts(
  { compensation }: Pick<RunState, 'compensation'>,
  slot: string,
  { late }: Pick<Unit, 'late'>,
): number {
  if (compensation?.current?.slot === slot) return compensation.current.attempt
  // One by one: the number of attempts has no limit, but the number of a function's arguments has one.
  return late.reduce((most, mark) => (mark.startsWith('COMP:') ? Math.max(most, Number(mark.split(':')[1])) : most), 0)
}
