/**
 * The rules between steps: unique ids, existing dependencies, no cycle, an order without gaps (CAP-13, GRF-01, GRF-18).
 * It reads the steps as written, so that it finds problems even when other fields are wrong.
 */
import { least } from '../../collections/extremes.ts'
import { isList, isObject } from '../format/kind.ts'
import type { Outline, OutlinedStep } from '../read/outline.ts'
import type { Json } from '../plan.ts'
import { child, refuse, suggest, type Place, type Reading } from '../read/reading.ts'

export function outlineSteps(values: readonly Json[], parent: Place = child(undefined, 'steps')): Outline {
  const steps = values.map((value, index) => outlineStep(value, child(parent, index)))
  const indexOf = new Map<string, number>()
  steps.forEach(({ id }, index) => {
    if (id !== undefined && !indexOf.has(id)) indexOf.set(id, index)
  })
  return { steps, isGraph: values.some((value) => isObject(value) && value.dependsOn !== undefined), indexOf }
}

function outlineStep(value: Json, place: Place): OutlinedStep {
  if (!isObject(value))
    return { place, id: undefined, idKey: 'id', dependsOn: undefined, order: undefined, hasItems: false }
  const { dependsOn, order } = value
  const idKey = value.stepId === undefined ? 'id' : 'stepId'
  const id = value[idKey]
  return {
    place,
    id: typeof id === 'string' ? id : undefined,
    idKey,
    dependsOn: isList(dependsOn) ? dependsOn : undefined,
    order,
    hasItems: value.forEach !== undefined,
  }
}

export function checkGraph(outline: Outline, reading: Reading): void {
  checkIds(outline, reading)
  checkOrder(outline, reading)
  checkDependencies(outline, reading)
  for (const cycle of findCycles(outline)) reportCycle(cycle, outline, reading)
}

function checkIds({ steps, indexOf }: Outline, reading: Reading): void {
  steps.forEach(({ id, idKey, place }, index) => {
    if (id === undefined || indexOf.get(id) === index) return
    const message = `'${id}' is already the id of step ${(indexOf.get(id) ?? 0) + 1}`
    refuse(reading, 'PLAN_DUPLICATE_STEP', child(place, idKey), message)
  })
}

function checkOrder({ steps }: Outline, reading: Reading): void {
  const written = steps.filter((step) => step.order !== undefined)
  if (written.length === 0) return
  for (const { place, order } of steps) {
    if (order === undefined)
      refuse(reading, 'PLAN_ORDER_INVALID', place, `other steps have an 'order', this one has none`)
  }
  const seen = new Set<Json>()
  for (const { place, order } of written) {
    if (order === undefined) continue
    const inRange = typeof order === 'number' && order >= 1 && order <= steps.length
    if (!inRange)
      refuse(reading, 'PLAN_ORDER_INVALID', child(place, 'order'), `'order' must run from 1 to ${steps.length}`)
    else if (seen.has(order))
      refuse(reading, 'PLAN_ORDER_INVALID', child(place, 'order'), `the order ${order} is given twice`)
    seen.add(order)
  }
}

function checkDependencies({ steps, indexOf }: Outline, reading: Reading): void {
  const ids = [...indexOf.keys()]
  for (const { id, place, dependsOn } of steps) {
    dependsOn?.forEach((dependency, position) => {
      if (typeof dependency !== 'string') return
      const at = child(child(place, 'dependsOn'), position)
      const name = id === undefined ? 'this step' : `step '${id}'`
      if (dependency === id) refuse(reading, 'PLAN_SELF_DEPENDENCY', at, `${name} depends on itself`)
      else if (!indexOf.has(dependency)) {
        const message = `${name} depends on '${dependency}', which is not a step`
        refuse(reading, 'PLAN_UNKNOWN_DEPENDENCY', at, message, suggest(reading, dependency, ids))
      }
    })
  }
}

/**
 * Disjoint cycles, each as the indexes of its steps; a step that depends on itself is reported separately and is not a
 * cycle here.
 */
function findCycles({ steps, indexOf }: Outline): readonly (readonly number[])[] {
  const needed = steps.map(({ dependsOn = [], id }) =>
    dependsOn.flatMap((entry) => (typeof entry === 'string' && entry !== id ? (indexOf.get(entry) ?? []) : [])),
  )
  const stuck = withoutStartable(needed)
  const visitedBy = new Int32Array(steps.length).fill(-1)
  const cycles: number[][] = []
  for (const start of stuck) {
    const walk: number[] = []
    let at: number | undefined = start
    while (at !== undefined && visitedBy[at] === -1) {
      visitedBy[at] = start
      walk.push(at)
      at = needed[at]?.find((index) => stuck.has(index))
    }
    if (at !== undefined && visitedBy[at] === start && walk.includes(at)) cycles.push(walk.slice(walk.indexOf(at)))
  }
  return cycles
}

/** What is left when everything that can start is removed: cycles and the steps that wait for them. */
function withoutStartable(needed: readonly (readonly number[])[]): ReadonlySet<number> {
  const open = needed.map((dependencies) => dependencies.length)
  const dependents: number[][] = needed.map(() => [])
  needed.forEach((dependencies, index) => dependencies.forEach((dependency) => dependents[dependency]?.push(index)))
  const startable = open.flatMap((count, index) => (count === 0 ? [index] : []))
  const stuck = new Set(needed.keys())
  for (let index = startable.pop(); index !== undefined; index = startable.pop()) {
    stuck.delete(index)
    for (const dependent of dependents[index] ?? []) {
      const left = (open[dependent] ?? 0) - 1
      open[dependent] = left
      if (left === 0) startable.push(dependent)
    }
  }
  return stuck
}

const NAMED_IN_CYCLE = 20

function reportCycle(cycle: readonly number[], { steps }: Outline, reading: Reading): void {
  const first = least(cycle.slice(0, 10_000))
  const turned = [...cycle.slice(cycle.indexOf(first)), ...cycle.slice(0, cycle.indexOf(first))]
  const ids = turned.map((index) => steps[index]?.id ?? '?')
  const named = ids.length > NAMED_IN_CYCLE ? [...ids.slice(0, NAMED_IN_CYCLE), '…'] : ids
  const place = steps[first]?.place
  const message = `steps wait for each other in a circle: ${[...named, ids[0]].join(' -> ')}`
  refuse(reading, 'PLAN_CYCLE', child(place, 'dependsOn'), message)
}
