/**
 * A persistent leftist heap of timers, earliest first. Timers are never removed from the middle: a reader of the top
 * checks whether the timer is still valid in the state.
 */
export type TimerKind = 'retry' | 'timeout' | 'undo-retry' | 'undo-timeout' | 'wait'

/** `unit` and `attempt` identify the owner of the timer; timers are ordered by (dueAt, kind, unit, attempt). */
export interface Timer {
  readonly dueAt: number
  readonly kind: TimerKind
  readonly unit: number
  readonly attempt: number
}

export interface TimerHeap {
  readonly timer: Timer
  readonly rank: number
  readonly left: TimerHeap | undefined
  readonly right: TimerHeap | undefined
}

export function heapInsert(heap: TimerHeap | undefined, timer: Timer): TimerHeap {
  return join(heap, { timer, rank: 1, left: undefined, right: undefined }) as TimerHeap
}

export function heapPop(heap: TimerHeap): TimerHeap | undefined {
  return join(heap.left, heap.right)
}

export function compareTimers(a: Timer, b: Timer): number {
  if (a.dueAt !== b.dueAt) return a.dueAt - b.dueAt
  if (a.kind !== b.kind) return a.kind < b.kind ? -1 : 1
  return a.unit === b.unit ? a.attempt - b.attempt : a.unit - b.unit
}

function join(a: TimerHeap | undefined, b: TimerHeap | undefined): TimerHeap | undefined {
  if (a === undefined) return b
  if (b === undefined) return a
  const [top, other] = compareTimers(b.timer, a.timer) < 0 ? [b, a] : [a, b]
  const right = join(top.right, other)
  const leftRank = top.left?.rank ?? 0
  const rightRank = right?.rank ?? 0
  return leftRank >= rightRank
    ? { timer: top.timer, rank: rightRank + 1, left: top.left, right }
    : { timer: top.timer, rank: leftRank + 1, left: right, right: top.left }
}
