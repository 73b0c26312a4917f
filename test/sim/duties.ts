/**
 * Nobody completes a task that asks for a checker in a run they made, however they spell their name (I18), and no approval
 * releases two dispatches of a step that cannot be undone (I19). Read from the logs by folds of their own.
 */
import type { Plan, Step } from '../../src/core/plan/plan.ts'
import type { LogEvent } from './oracle-tables.ts'
import type { RunTrack } from './run-track.ts'

export function checkDuties(tracks: readonly RunTrack[], complain: (what: string) => void): void {
  for (const track of tracks) {
    const say = (what: string): void => complain(`${track.runId.slice(0, 8)} ${what}`)
    checkMakers(track, say)
    if (!track.oracle.model.undoes) checkDispatches(track, say)
  }
}

/** All the spellings that the people of the simulation have. */
const plain = (name: unknown): string => String(name).normalize('NFKC').trim().toLowerCase()

const CHANGES = ['UPDATE_PARAMS', 'INJECT_OVERRIDE', 'UPDATE_TARGET']

function checkMakers({ plan, events }: RunTrack, say: (what: string) => void): void {
  const makers = new Set<string>()
  for (const { eventType, payload, stepId, runSeq } of events) {
    const { inherited, context, actorId, signalType } = payload as Readonly<Record<string, unknown>>
    for (const one of (inherited as { makers?: readonly string[] } | undefined)?.makers ?? []) makers.add(plain(one))
    const by = (context as { triggeredBy?: string } | undefined)?.triggeredBy
    if (by !== undefined) makers.add(plain(by))
    if (eventType === 'SignalAccepted' && CHANGES.includes(String(signalType))) makers.add(plain(actorId))
    const step = plan.plan.steps.find((one) => one.stepId === stepId)
    if (eventType !== 'StepCompleted' || step === undefined || !('manual' in step) || step.forEach !== undefined)
      continue
    if (payload['reusedFrom'] !== undefined || step.manual.rule !== 'MakerChecker') continue
    if (actorId === undefined || plain(actorId) === 'local' || makers.has(plain(actorId)))
      say(`I18 #${runSeq} ${stepId ?? ''} was completed by ${String(actorId)}, who made the run`)
  }
}

function checkDispatches({ plan: { plan }, events }: RunTrack, say: (what: string) => void): void {
  const isDone = new Set<string>()
  const isTaken = new Set<string>()
  const sent = new Map<string, number>()
  for (const event of events) {
    const { eventType, stepId, runSeq, payload } = event
    if (stepId === undefined || event.itemIndex !== undefined) continue
    if (eventType === 'StepCompleted') (payload['reusedFrom'] === undefined ? isDone : isTaken).add(stepId)
    const step = plan.steps.find((one) => one.stepId === stepId)
    if (!isDispatch(event, step)) continue
    const gates = gatesBefore(plan, stepId)
    if (gates.some((gate) => isTaken.has(gate)))
      say(`I19 #${runSeq} ${stepId} was released by an approval of another run`)
    if (!gates.some((gate) => isDone.has(gate))) continue
    sent.set(stepId, (sent.get(stepId) ?? 0) + 1)
    if ((sent.get(stepId) ?? 0) > 1) say(`I19 #${runSeq} ${stepId} was dispatched twice on one approval`)
  }
}

function isDispatch({ eventType, payload }: LogEvent, step: Step | undefined): boolean {
  return eventType === 'StepStarted' && payload['reusedFrom'] === undefined && step?.effect === 'irreversible'
}

/** The manual steps before a step that have no other manual step between. */
function gatesBefore({ steps }: Plan, stepId: string): readonly string[] {
  const ordered = [...steps].sort((a, b) => a.order - b.order)
  const isSequence = steps.every(({ dependsOn }) => dependsOn === undefined)
  const needs = (id: string): readonly string[] => {
    const at = ordered.findIndex((one) => one.stepId === id)
    if (!isSequence) return ordered[at]?.dependsOn ?? []
    const before = ordered[at - 1]
    return before === undefined ? [] : [before.stepId]
  }
  const gates = new Set<string>()
  const open = [...needs(stepId)]
  const seen = new Set(open)
  for (const id of open) {
    const step = steps.find((one) => one.stepId === id)
    if (step !== undefined && 'manual' in step) gates.add(id)
    else
      for (const before of needs(id)) {
        if (!seen.has(before)) open.push(before)
        seen.add(before)
      }
  }
  return [...gates]
}
