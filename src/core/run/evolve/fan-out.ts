/**
 * How a fan-out changes the state: the parent keeps counters and a set of ready items; its items are units
 * appended behind all others when the expansion is recorded.
 */
import { bitAdd, bitGrow, bitMembers, bitRange, bitRemove, bitTree } from '../../collections/bit-tree.ts'
import { vectorGrow } from '../../collections/vector.ts'
import type { Payload } from '../../events/event.ts'
import { fail } from '../../problems/problem.ts'
import type { FoldEvent } from '../fold-event.ts'
import type { Fan, Unit } from '../state/unit.ts'
import { isParked, locate, stepAt, stepUnit, unitAt } from '../state/units.ts'
import { setReady, setUnit, type NextState } from './next-state.ts'

export function updateFan(next: NextState, step: number, change: (fan: Fan) => Fan): void {
  const parent = stepUnit(next, step)
  if (parent.fan === undefined) return
  setFan(next, parent, change(parent.fan))
}

function setFan(next: NextState, parent: Unit, fan: Fan): void {
  setUnit(next, parent.step, { ...parent, fan })
  const done = fan.running === 0 && fan.waiting === 0 && fan.ready.size === 0
  next.doneFans = done ? bitAdd(next.doneFans, parent.step) : bitRemove(next.doneFans, parent.step)
}

export function fanOutExpanded(next: NextState, event: FoldEvent): void {
  const found = locate(next, event.slot)
  if (found === undefined || found.unit.fan !== undefined || found.unit.status !== 'RUNNING') {
    fail('INVALID_TRANSITION', `FanOutExpanded for '${event.slot}', which is not an unexpanded running step`)
  }
  const { unit } = found
  const { count, sha256 } = event.payload as Payload<'FanOutExpanded'>
  const withFallback = stepAt(next.graph, unit.step).fallback !== undefined
  const base = next.unitCount
  next.unitCount = base + (withFallback ? 2 * count : count)
  next.units = vectorGrow(next.units, next.unitCount)
  next.inFlight = bitGrow(next.inFlight, next.unitCount)
  next.parked = bitGrow(next.parked, next.unitCount)
  const fan: Fan = {
    count,
    itemsSha256: sha256,
    base,
    fallbackBase: withFallback ? base + count : -1,
    ready: bitRange(count),
    running: 0,
    waiting: 0,
    done: 0,
    failed: bitTree(count),
    held: bitTree(count),
  }
  setFan(next, unit, fan)
  if (count > 0) setReady(next, unit.step, true, isParked(next.graph, unit))
}

/** RETRY_STEP on the parent: a new attempt of the failed items only; those held back may start at last (P-47). */
export function reopenFan(next: NextState, parent: Unit): void {
  const fan = parent.fan
  if (fan === undefined) return
  let ready = fan.held
  for (const item of bitMembers(fan.failed)) {
    ready = bitAdd(ready, item)
    const at = fan.base + item
    const unit = unitAt(next, at, parent.step, item, false)
    setUnit(next, at, { ...unit, status: 'PENDING', final: false, fallbackOpen: false })
  }
  setFan(next, parent, { ...fan, ready, failed: bitTree(fan.count), held: bitTree(fan.count) })
  if (ready.size > 0) setReady(next, parent.step, true, isParked(next.graph, parent))
}

export function fanItemEnded(next: NextState, step: number, item: number, succeeded: boolean): void {
  updateFan(next, step, (fan) => ({
    ...fan,
    running: fan.running - 1,
    done: succeeded ? fan.done + 1 : fan.done,
    failed: succeeded ? bitRemove(fan.failed, item) : bitAdd(fan.failed, item),
  }))
  if (!succeeded && next.graph.plan.policy.onFailure !== 'continue') holdBack(next, step)
}

/** After an item's final failure no new item starts; items already begun (a fallback waiting) settle. */
function holdBack(next: NextState, step: number): void {
  const fan = stepUnit(next, step).fan
  if (fan === undefined || fan.ready.size === 0) return
  let { ready, held } = fan
  for (const item of bitMembers(fan.ready)) {
    if (unitAt(next, fan.base + item, step, item, false).fallbackOpen) continue
    ready = bitRemove(ready, item)
    held = bitAdd(held, item)
  }
  updateFan(next, step, () => ({ ...fan, ready, held }))
  if (ready.size > 0) return
  setReady(next, step, false, false)
  setReady(next, step, false, true)
}

/** The parent has failed: items not started and items in backoff are held until the parent is tried again. */
export function abandonFan(next: NextState, step: number): void {
  const fan = stepUnit(next, step).fan
  setReady(next, step, false, false)
  setReady(next, step, false, true)
  if (fan === undefined || (fan.ready.size === 0 && fan.waiting === 0)) return
  let { held } = fan
  for (const item of bitMembers(fan.ready)) held = bitAdd(held, item)
  for (let item = 0; fan.waiting > 0 && item < fan.count; item += 1) {
    for (const [base, fallback] of [
      [fan.base, false],
      [fan.fallbackBase, true],
    ] as const) {
      const unit = base < 0 ? undefined : unitAt(next, base + item, step, item, fallback)
      if (unit?.backoff !== true) continue
      setUnit(next, base + item, { ...unit, backoff: false, dueAt: -1 })
      next.backoffs -= 1
      held = bitAdd(held, item)
    }
  }
  updateFan(next, step, (now) => ({ ...now, ready: bitTree(now.count), waiting: 0, held }))
}
