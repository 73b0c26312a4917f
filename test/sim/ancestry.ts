/**
 * No step starts, is skipped by its condition or is taken over unless every one of its ancestors stands: it succeeded and was
 * not undone, was skipped for a reason, or its failure was handled. Read from the logs of all runs of a family, by a fold
 * of its own: a fork must not get ahead of what it has to redo, however the old run came to its end.
 */
import type { Plan, Step } from '../../src/core/plan/plan.ts'
import type { LogEvent } from './oracle-tables.ts'
import type { RunTrack } from './run-track.ts'

export function checkAncestry(tracks: readonly RunTrack[], complain: (what: string) => void): void {
  for (const track of tracks) {
    const family = tracks.slice(0, tracks.indexOf(track) + 1)
    const say = (what: string): void => complain(`${track.runId.slice(0, 8)} ${what}`)
    // A run that only undoes another starts nothing: what it takes over is taken over to be undone.
    if (track.oracle.model.undoes) continue
    walk(track, say)
    checkTaken(track, family, say)
  }
}

const isPlain = (event: LogEvent): boolean => event.itemIndex === undefined && event.role !== 'fallback'

/** Which steps stand, event by event. */
function walk(track: RunTrack, say: (what: string) => void): void {
  const { plan } = track.plan
  const ancestors = ancestorsOf(plan)
  const orderOnly = isSequence(plan) && plan.policy.onFailure === 'continue'
  const stands = new Set<string>()
  for (const event of track.events) {
    const { stepId } = event
    if (stepId === undefined) continue
    if (begins(event)) {
      const missing = (ancestors.get(stepId) ?? []).find((one) => !stands.has(one))
      if (missing !== undefined)
        say(`I17 #${event.runSeq} ${event.eventType} ${stepId}, though ${missing} does not stand`)
    }
    if (event.eventType === 'CompensationStarted') stands.delete(stepId)
    else if (comesToStand(event, orderOnly)) stands.add(stepId)
  }
}

/** A new attempt of an item or a fallback begins nothing that its step had not begun. */
function begins(event: LogEvent): boolean {
  if (event.eventType === 'StepStarted') return isPlain(event) && event.attempt === 1
  const reason = event.payload['reasonCode']
  return event.eventType === 'StepSkipped' && (reason === 'CONDITION_FALSE' || reason === 'DEPENDENCY_SKIPPED')
}

function comesToStand(event: LogEvent, orderOnly: boolean): boolean {
  const { eventType, payload } = event
  if (eventType === 'StepSkipped') return payload['reasonCode'] !== 'DEPENDENCY_FAILED'
  if (eventType === 'StepCompleted') return event.itemIndex === undefined
  if (eventType === 'StepFailed' && payload['handled'] === true) return true
  // In a sequence that goes on regardless a failure for good is handled by the plan itself (P-46).
  if (eventType !== 'StepFailed' || !orderOnly || event.itemIndex !== undefined) return false
  return payload['final'] === true && payload['fallback'] !== true
}

/** What is taken over stood in the run it came from, and nobody of the family had undone it by then. */
function checkTaken(track: RunTrack, family: readonly RunTrack[], say: (what: string) => void): void {
  for (const event of track.events) {
    const from = event.payload['reusedFrom'] as { runId: string; runSeq: number; ownerRunId: string } | undefined
    if (from === undefined || event.eventType === 'StepStarted') continue
    const source = family.find(({ runId }) => runId === from.runId)?.events.find(({ runSeq }) => runSeq === from.runSeq)
    const fits =
      source !== undefined &&
      source.eventType === event.eventType &&
      source.stepId === event.stepId &&
      source.payload['reasonCode'] === event.payload['reasonCode']
    if (!fits) say(`I17 #${event.runSeq} ${event.stepId} is taken over from #${from.runSeq}, which is no such result`)
    const undoer = family
      .filter((one) => one !== track)
      .find((one) => one.events.some((other) => undoes(one, other, event.stepId, from.ownerRunId)))
    if (undoer !== undefined)
      say(`I17 #${event.runSeq} ${event.stepId} is taken over though ${undoer.runId.slice(0, 8)} had undone it`)
  }
}

function undoes(track: RunTrack, event: LogEvent, stepId: string | undefined, ownerRunId: string): boolean {
  if (event.eventType !== 'CompensationStarted' || event.stepId !== stepId) return false
  const done = track.events.find((one) => one.eventType === 'StepCompleted' && one.stepId === stepId)
  const from = done?.payload['reusedFrom'] as { ownerRunId: string } | undefined
  return (from?.ownerRunId ?? track.runId) === ownerRunId
}

function isSequence(plan: Plan): boolean {
  return plan.steps.every(({ dependsOn }) => dependsOn === undefined)
}

function ancestorsOf(plan: Plan): ReadonlyMap<string, readonly string[]> {
  const sorted = [...plan.steps].sort((a, b) => a.order - b.order || (a.stepId < b.stepId ? -1 : 1))
  const before = (step: Step, index: number): readonly string[] =>
    isSequence(plan) ? sorted.slice(0, index).map(({ stepId }) => stepId) : (step.dependsOn ?? [])
  const direct = new Map(sorted.map((step, index) => [step.stepId, before(step, index)]))
  const all = new Map<string, readonly string[]>()
  const gather = (stepId: string): readonly string[] => {
    const known = all.get(stepId)
    if (known !== undefined) return known
    const found = new Set((direct.get(stepId) ?? []).flatMap((one) => [one, ...gather(one)]))
    all.set(stepId, [...found])
    return [...found]
  }
  for (const { stepId } of sorted) gather(stepId)
  return all
}
