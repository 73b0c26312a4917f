/**
 * Judges what the handlers did against what the logs say: nothing acted before its start was on record or after its outcome
 * was, one dispatch acts once, and no step is said to be done that nobody did.
 */
import type { Effect } from './journal.ts'
import { stepSlotOf } from './judge-log.ts'
import { fieldsOf, type StoredLine } from './look.ts'
import { planNamed } from './plans.ts'
import type { Fault } from './storm.ts'

export interface EffectFigures {
  readonly executions: number
  readonly attempts: number
  readonly repeated: number
  /** Begun by a worker that was stopped after it had looked and before it acted: nothing can prevent that. */
  readonly excused: number
}

interface Span {
  started?: number
  ended?: number
  executions: number
}

/** `persistedAt` is read before the commit's own sync, and both clocks count whole milliseconds. */
const COMMIT_MS = 150
const STARTS: ReadonlySet<string> = new Set(['StepStarted', 'CompensationStarted'])
const ENDS: ReadonlySet<string> = new Set([
  'StepCompleted',
  'StepFailed',
  'StepSkipped',
  'CompensationCompleted',
  'CompensationFailed',
])

function slotOfEffect({ undoing, stepId, itemIndex }: Effect): string {
  return `${undoing ? 'COMP:' : ''}${stepId}${itemIndex === undefined ? '' : `[${itemIndex}]`}`
}

export function judgeEffects(
  events: readonly StoredLine[],
  effects: readonly Effect[],
  faults: readonly Fault[],
): { readonly violations: readonly string[]; readonly figures: EffectFigures } {
  const violations: string[] = []
  const spans = spansOf(events)
  const dispatches = new Set<string>()
  let excused = 0
  for (const one of effects) {
    const name = `${one.runId} ${slotOfEffect(one)}#${one.attempt}`
    const dispatch = `${name} engine attempt ${one.engineAttempt}`
    const span = spans.get(name)
    if (dispatches.has(dispatch)) violations.push(`${dispatch} acted twice`)
    dispatches.add(dispatch)
    if (span?.started === undefined || span.started > one.at) violations.push(`${dispatch} acted before it was started`)
    if (span === undefined) continue
    span.executions += 1
    if (span.ended === undefined || one.at <= span.ended + COMMIT_MS) continue
    if (wasStopped(one, span.ended, faults)) excused += 1
    else violations.push(`${dispatch} acted at ${one.worker} ${one.at - span.ended} ms after its outcome was on record`)
  }
  const counted = [...spans.values()].filter(({ executions }) => executions > 0)
  const repeated = counted.reduce((sum, { executions }) => sum + executions - 1, 0)
  const figures = { executions: effects.length, attempts: counted.length, repeated, excused }
  return { violations: [...violations, ...undone(events, spans)], figures }
}

function spansOf(events: readonly StoredLine[]): Map<string, Span> {
  const spans = new Map<string, Span>()
  for (const line of events) {
    const isStart = STARTS.has(line.eventType)
    if (!isStart && !ENDS.has(line.eventType)) continue
    const record = fieldsOf(line)
    const undoing = line.eventType.startsWith('Compensation')
    const name = `${line.runId} ${undoing ? 'COMP:' : ''}${stepSlotOf(record)}#${record.logicalAttemptId}`
    const span = spans.get(name) ?? { executions: 0 }
    if (isStart) span.started = line.persistedAt
    else span.ended = line.persistedAt
    spans.set(name, span)
  }
  return spans
}

/** It was stopped when the outcome was written, and acted right after it was continued. */
function wasStopped({ worker, at }: Effect, ended: number, faults: readonly Fault[]): boolean {
  return faults.some(
    ({ kind, target, from, to }) =>
      kind === 'stop' && target === worker && from <= ended && at >= to && at - to < 1_000,
  )
}

/** Steps that are said to be completed although nobody acted. */
function undone(events: readonly StoredLine[], spans: ReadonlyMap<string, Span>): readonly string[] {
  return events.flatMap((line) => {
    if (line.eventType !== 'StepCompleted') return []
    const record = fieldsOf(line)
    const { planId } = JSON.parse(line.record) as { readonly planId: string }
    const isSilent = planNamed(planId)?.silent?.includes(stepSlotOf(record)) === true
    const name = `${line.runId} ${stepSlotOf(record)}#${record.logicalAttemptId}`
    return isSilent || (spans.get(name)?.executions ?? 0) > 0 ? [] : [`${name} is on record as done and nobody did it`]
  })
}
