/**
 * What a run waits for, by the oracle's own reading of its log: whether it is at rest (ended, or in a wait that people
 * are told about), and by when somebody must wake it (I12, P-25).
 */
import type { RunModel } from './oracle-model.ts'
import { GRACE_MS, isEnd, itemNames, unitsOf } from './oracle-tables.ts'

export type Rest = 'ended' | 'paused' | 'held' | 'manual' | 'child' | 'event' | 'approval' | 'busy' | 'timed'

export const DECLARED: readonly Rest[] = ['ended', 'paused', 'held', 'manual', 'child', 'event', 'approval']

export function restOf(model: RunModel): Rest {
  if (isEnd(model.phase)) return 'ended'
  if (mayStart(model)) return model.notBefore >= 0 ? 'timed' : 'approval'
  if (model.phase === 'PENDING') return 'approval'
  const open = [...model.open()].filter(({ slot }) => !model.isFanParent(slot))
  if (model.undo?.state === 'RUNNING') return model.isUndoneByRun(model.undo.slot) ? 'child' : 'busy'
  if (open.some(({ slot }) => slot.kind === 'run')) return 'busy'
  const children = open.some(({ slot }) => slot.kind === 'plan')
  if (model.cancelling !== undefined) return children ? 'timed' : 'busy'
  if (model.phase === 'PAUSED') return 'paused'
  if (model.undoStarted || model.isEnding) return 'timed'
  if (model.isFailing()) return children ? 'timed' : model.isHeld() ? 'held' : 'busy'
  if (couldStart(model)) return 'busy'
  const timed = open.some(
    ({ attempt }) =>
      attempt.waitDue !== undefined || attempt.waitUntil !== undefined || attempt.timeoutAt !== undefined,
  )
  const slotFree = model.inFlight().length < model.limit
  if (timed || (slotFree && [...model.slots.values()].some((slot) => model.isInBackoff(slot)))) return 'timed'
  if (children) return 'child'
  if (open.length > 0) return open.some(({ slot }) => slot.kind === 'manual') ? 'manual' : 'event'
  return model.isHeld() ? 'held' : 'busy'
}

function mayStart({ phase, asksNobody }: RunModel): boolean {
  return phase === 'APPROVED' || (phase === 'PENDING' && asksNobody)
}

/** Is there anything to start, with a slot of the run free for it? */
export function couldStart(model: RunModel): boolean {
  const full = model.inFlight().length >= model.limit
  return model.order.some((stepId) => {
    const step = model.steps.get(stepId)
    const parked = step !== undefined && ('wait' in step || 'manual' in step)
    if (full && !parked) return false
    const standing = model.standing(stepId)
    if (standing === 'ready') return true
    if (standing === 'pending') return isLetGo(model, stepId)
    return standing === 'open' && step?.forEach !== undefined && itemCouldStart(model, stepId)
  })
}

function itemCouldStart(model: RunModel, stepId: string): boolean {
  const names = itemNames(stepId, model.fans.get(stepId) ?? 0)
  const heldBack = isHeldBack(model, stepId)
  return names.some((name) => itemIsReady(model, name, heldBack))
}

/** After an item's failure for good no other begins, unless the run goes on regardless (P-47). */
function isHeldBack(model: RunModel, stepId: string): boolean {
  if (model.plan.policy.onFailure === 'continue') return false
  return itemNames(stepId, model.fans.get(stepId) ?? 0).some((name) => model.standing(name) === 'failed')
}

function itemIsReady(model: RunModel, name: string, heldBack: boolean): boolean {
  const standing = model.standing(name)
  if (!heldBack) return standing === 'ready' || standing === 'pending'
  // What begun items still owe is done: a fallback, but no new attempt on purpose.
  const slot = model.slots.get(name)
  return standing === 'ready' && slot?.reopenedAt !== slot?.attempts.length
}

/** Would this slot start now if it had its grant? Then it may wait for it, else it must not. */
export function mayWait(model: RunModel, slotName: string, attempt: number): boolean {
  const slot = model.slot(slotName)
  if (slot === undefined || slot.attempts.length !== attempt - 1) return false
  if (model.isInBackoff(slot)) return true
  const name = slot.isFallback ? slotName.slice('FALLBACK:'.length) : slotName
  const primary = model.slots.get(name)
  const isReopened = primary?.reopenedAt === primary?.attempts.length
  // After a failure that calls for it the fallback is next, and else the step itself.
  if (slot.isFallback !== (model.last(name)?.fallback === true && !isReopened)) return false
  const { stepId } = slot.step
  if (slot.item !== undefined)
    return model.last(stepId)?.state === 'RUNNING' && itemIsReady(model, name, isHeldBack(model, stepId))
  const standing = model.standing(name)
  return standing === 'ready' || (standing === 'pending' && isLetGo(model, stepId))
}

function isLetGo(model: RunModel, stepId: string): boolean {
  return (model.needs.get(stepId) ?? []).every((needed) => model.lets(needed))
}

/**
 * The earliest instant at which the run must be woken; undefined when only the outside can move it. Retries due up to
 * `retriesAfter` may wait for grants, and time alone does not start them.
 */
export function wakeBy(model: RunModel, retriesAfter = -1): number | undefined {
  if (isEnd(model.phase)) return undefined
  const due: number[] = []
  if (model.phase === 'PENDING' && !mayStart(model)) return undefined
  if (mayStart(model)) return model.notBefore >= 0 ? model.notBefore : undefined
  const flight = model.inFlight()
  for (const { attempt } of model.open()) {
    if (attempt.timeoutAt !== undefined) due.push(attempt.timeoutAt)
    if (attempt.waitUntil !== undefined) due.push(attempt.waitUntil)
  }
  if (model.cancelling !== undefined && flight.length > 0) due.push(model.cancelling.graceUntil)
  if (model.timedOutAt >= 0 && model.cancelling === undefined && model.phase === 'RUNNING' && flight.length > 0)
    due.push(model.timedOutAt + GRACE_MS)
  const drainDue = model.drainDue()
  if (drainDue !== undefined) due.push(drainDue)
  if (model.undo?.state === 'RUNNING' && model.undo.timeoutAt !== undefined) due.push(model.undo.timeoutAt)
  if (model.undo?.state === 'FAILED' && model.undo.retryAt !== undefined) due.push(model.undo.retryAt)
  const runs = model.phase === 'RUNNING' && model.cancelling === undefined
  if (runs && model.runTimeoutAt >= 0 && model.timedOutAt < 0 && !model.undoStarted) due.push(model.runTimeoutAt)
  if (runs && !model.isFailing()) due.push(...activeDues(model, flight.length < model.limit, retriesAfter))
  return due.length === 0 ? undefined : Math.min(...due)
}

function activeDues(model: RunModel, slotFree: boolean, retriesAfter: number): number[] {
  const due: number[] = []
  for (const slot of model.slots.values()) {
    const last = slot.attempts.at(-1)
    if (last?.state === 'RUNNING' && last.waitDue !== undefined) due.push(last.waitDue + model.pausedMs)
    if (!slotFree || !model.isInBackoff(slot) || last?.retryDue === undefined) continue
    const at = last.retryDue + model.pausedMs
    if (at > retriesAfter || unitsOf(slot.step, slot.isFallback) === undefined) due.push(at)
  }
  return due
}
