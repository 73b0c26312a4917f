/**
 * Fallbacks of an orchestr8 workflow are steps of their own there; in a plan a fallback belongs to its step. Its
 * step then waits for what the fallback depends on, which must not be skipped: a fallback has no conditions.
 */
import { child, refuse, type Place } from '../../read/reading.ts'
import { mayBeSkipped, type Flow, type FlowStep } from './flow.ts'
import type { Converting } from './values.ts'

export interface FallbackTarget {
  readonly target: FlowStep
  readonly at: Place
  /** What the fallback depends on. */
  readonly waitsFor: readonly string[]
}

/** By the id of the step that falls back. */
export type Fallbacks = ReadonlyMap<string, FallbackTarget>

const STEPS = child(undefined, 'steps')

export function fallbackTargets(converting: Converting): Fallbacks {
  const { flow } = converting
  const found = new Map<string, FallbackTarget>()
  flow.steps.forEach((step, index) => {
    const place = child(STEPS, index)
    const { fallbackStepId, onError } = step
    if ((fallbackStepId !== undefined) !== (onError === 'fallback')) {
      const [given, other] =
        fallbackStepId === undefined ? ['onError', 'fallbackStepId'] : ['fallbackStepId', 'onError: fallback']
      tell(
        converting,
        child(place, given),
        `'${given}' means something only together with '${other}'`,
        `add ${other}, or leave it out`,
      )
      return
    }
    if (fallbackStepId === undefined) return
    const at = flow.steps.findIndex(({ id }) => id === fallbackStepId)
    const target = flow.steps[at]
    if (target === undefined)
      return tell(converting, child(place, 'fallbackStepId'), `there is no step '${fallbackStepId}'`)
    const isSound = [
      checkTarget(converting, target, child(STEPS, at)),
      checkWaits(converting, step, target, child(STEPS, at)),
    ]
    if (isSound.every(Boolean)) found.set(step.id, { target, at: child(STEPS, at), waitsFor: target.dependsOn })
  })
  return found
}

/** Steps that are only a fallback of others are no steps of the plan. */
export function withoutFallbacks(
  flow: Flow,
  fallbacks: Fallbacks,
): readonly { readonly step: FlowStep; readonly place: Place }[] {
  const targets = new Set([...fallbacks.values()].map(({ target }) => target.id))
  return flow.steps.flatMap((step, index) => (targets.has(step.id) ? [] : [{ step, place: child(STEPS, index) }]))
}

function checkTarget(converting: Converting, target: FlowStep, at: Place): boolean {
  const { flow } = converting
  const dependent = flow.steps.find(({ dependsOn }) => dependsOn.includes(target.id))
  if (dependent !== undefined) {
    const message = `'${target.id}' is a fallback, and '${dependent.id}' depends on it`
    tell(converting, at, message, 'let it depend on the step that falls back, or give it a step of its own')
    return false
  }
  const own = (['if', 'unless', 'timeoutMs', 'retry'] as const).find((field) => target[field] !== undefined)
  if (own === undefined && target.onError === 'fail') return true
  const what = own === undefined ? `onError: ${target.onError}` : own.replace(/Ms$/, '')
  tell(
    converting,
    at,
    `'${target.id}' is a fallback and has '${what}'`,
    'a fallback has the limits of its step and no conditions',
  )
  return false
}

/** The step would wait for them, and be skipped with them. */
function checkWaits(converting: Converting, step: FlowStep, target: FlowStep, at: Place): boolean {
  if (target.dependsOn.includes(step.id)) {
    const message = `'${target.id}' depends on '${step.id}', whose fallback it is: it was skipped there whenever '${step.id}' failed`
    tell(
      converting,
      child(at, target.at.dependsOn.slice(1)),
      message,
      'leave the dependency out: a fallback comes after its step',
    )
    return false
  }
  const before = target.dependsOn.filter((id) => !step.dependsOn.includes(id))
  const skipped = before.find((id) => mayBeSkipped(converting.flow.steps, id))
  if (skipped === undefined) return true
  const message = `the fallback '${target.id}' depends on '${skipped}', which may be skipped or fail: a fallback has no dependencies of its own`
  tell(
    converting,
    child(at, target.at.dependsOn.slice(1)),
    message,
    `let '${step.id}' depend on it, or make '${target.id}' a step with a condition`,
  )
  return false
}

function tell(converting: Converting, place: Place, message: string, hint?: string): void {
  refuse(converting, 'WORKFLOW_INVALID', place, message, hint === undefined ? {} : { hint })
}
