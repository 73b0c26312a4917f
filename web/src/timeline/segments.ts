/** The bars of one step on the timeline, from its snapshot: work, waits between attempts, waits for a person or for room, undoing. */
import { msFromIso } from '../../../src/core/time.ts'
import type { AttemptSnapshot, FallbackSnapshot, StepSnapshot } from '../../../src/core/view/fold/run-snapshot.ts'
import type { WaitKind } from '../shown/wait-kind.ts'

export type SegmentKind = 'work' | 'running' | 'failed' | 'backoff' | 'person' | 'wait' | 'room' | 'undo'

export interface Segment {
  readonly kind: SegmentKind
  readonly from: number
  readonly to: number
  readonly title: string
}

/** One legend for all that is drawn, from the table that draws it: the class of the mark, and its words. */
export const MARKS = {
  work: 'work',
  running: 'at work',
  failed: 'failed attempt',
  backoff: 'wait before a retry',
  person: 'waits for a person',
  wait: 'waits for a time, an event or a run',
  room: 'waits for room',
  undo: 'undone',
  items: 'items at work',
  'failed-items': 'some of them failed',
  pause: 'the run is paused',
} as const satisfies Readonly<Record<SegmentKind | 'items' | 'failed-items' | 'pause', string>>
export type Mark = keyof typeof MARKS

export function segmentsOf(step: StepSnapshot, asOf: number, waits: WaitKind): readonly Segment[] {
  const own = attemptSegments(step, asOf, waits)
  const fallback = step.fallback === undefined ? [] : attemptSegments(step.fallback, asOf, undefined)
  const first = own[0]
  const room =
    first === undefined || step.timeSplit.grantMs <= 0
      ? []
      : [segment('room', first.from - step.timeSplit.grantMs, first.from, MARKS.room)]
  return [...room, ...own, ...fallback, ...undoOf(step, asOf)]
}

function attemptSegments(slot: FallbackSnapshot, asOf: number, waits: WaitKind): readonly Segment[] {
  return slot.attempts.flatMap((attempt, at) => {
    const from = msFromIso(attempt.startedAt ?? '')
    if (from === undefined) return []
    const to = msFromIso(attempt.completedAt ?? '') ?? asOf
    const kind =
      attempt.status === 'FAILED' ? 'failed' : (markOf(waits) ?? (attempt.status === 'RUNNING' ? 'running' : 'work'))
    const next = nextStart(slot, slot.attempts[at + 1], asOf)
    const name = `attempt ${attempt.logicalAttemptId}: ${attempt.error?.code ?? attempt.status.toLowerCase()}`
    const bar = segment(kind, from, to, name)
    return next === undefined || attempt.status !== 'FAILED'
      ? [bar]
      : [bar, segment('backoff', to, next, MARKS.backoff)]
  })
}

function markOf(waits: WaitKind): SegmentKind | undefined {
  return waits === 'time' || waits === 'run' ? 'wait' : waits
}

/** When the next attempt began; the moment itself while one is still due. */
function nextStart(slot: FallbackSnapshot, next: AttemptSnapshot | undefined, asOf: number): number | undefined {
  if (next !== undefined) return msFromIso(next.startedAt ?? '')
  return slot.retryAt === undefined ? undefined : asOf
}

function undoOf({ compensation }: StepSnapshot, asOf: number): readonly Segment[] {
  const from = msFromIso(compensation?.startedAt ?? '')
  if (from === undefined) return []
  const to = msFromIso(compensation?.completedAt ?? '') ?? asOf
  return [segment('undo', from, to, `compensation: ${compensation?.status.toLowerCase() ?? ''}`)]
}

function segment(kind: SegmentKind, from: number, to: number, title: string): Segment {
  return { kind, from, to: Math.max(from, to), title }
}

const known = new WeakMap<StepSnapshot, readonly Mark[]>()

/** Which marks the row of a step has. A step that has not changed is the same object, so a long plan is not read again. */
export function marksOf(step: StepSnapshot, waits: WaitKind): readonly Mark[] {
  const kept = known.get(step)
  if (kept !== undefined) return kept
  const { items } = step
  const own = items === undefined ? segmentsOf(step, Infinity, waits).map(({ kind }) => kind) : ['items' as const]
  const marks: readonly Mark[] = (items?.failed ?? 0) > 0 ? [...own, 'failed-items'] : own
  known.set(step, marks)
  return marks
}
