/** The keywords of JSON Schema that combine parts over the same value, and those that refer to other parts. */
import { appendAll } from '../../core/collections/append-all.ts'
import type { PartOf } from './lists.ts'
import {
  addSeen,
  changed,
  isEnough,
  isFields,
  meet,
  mistaken,
  newSeen,
  type Check,
  type Fields,
  type Frame,
  type Mistake,
  type Part,
} from './part.ts'

export function choiceChecks(schema: Fields, partOf: PartOf): readonly (Check | undefined)[] {
  const list = (name: string): readonly Part[] | undefined => {
    const given = schema[name]
    return Array.isArray(given) ? given.map(partOf) : undefined
  }
  const [all, any, one] = [list('allOf'), list('anyOf'), list('oneOf')]
  return [
    schema['not'] === undefined ? undefined : notCheck(partOf(schema['not'])),
    any === undefined ? undefined : anyCheck(any),
    one === undefined ? undefined : oneCheck(one),
    all === undefined ? undefined : allCheck(all),
    schema['if'] === undefined ? undefined : ifCheck(schema, partOf),
    dependentSchemas(schema, partOf),
  ]
}

/** What is referred to is found when it is needed: by then all parts are known. Its defaults count wherever it is named. */
export function refCheck(target: (frame: Frame) => Part): Check {
  return (value, frame) => {
    const { fills } = frame.budget
    return meet(target(frame), value, fills === frame.fills ? frame : changed(frame, { fills }))
  }
}

/** One branch alone: what it has evaluated counts only if the branch holds, and no defaults are filled in for it. */
function tried(part: Part, value: unknown, frame: Frame, mistakes: Mistake[] | undefined): boolean {
  const seen = frame.seen === undefined ? undefined : newSeen(frame)
  const holds = meet(part, value, changed(frame, { mistakes, seen, fills: false }))
  if (holds) addSeen(frame, seen)
  return holds
}

function notCheck(part: Part): Check {
  return (value, frame) =>
    !meet(part, value, changed(frame, { mistakes: undefined, seen: undefined, fills: false })) || mistaken(frame, 'must NOT be valid')
}

/** The faults of the branches are reported only if no branch holds. */
function anyCheck(parts: readonly Part[]): Check {
  return (value, frame) => {
    const mistakes: Mistake[] | undefined = frame.mistakes === undefined ? undefined : []
    let holds = false
    for (const part of parts) {
      holds = tried(part, value, frame, mistakes) || holds
      if (holds && frame.seen === undefined) break
    }
    if (!holds && frame.mistakes !== undefined) appendAll(frame.mistakes, mistakes ?? [])
    return holds || mistaken(frame, 'must match a schema in anyOf')
  }
}

function oneCheck(parts: readonly Part[]): Check {
  return (value, frame) => {
    const mistakes: Mistake[] | undefined = frame.mistakes === undefined ? undefined : []
    let held = 0
    for (const part of parts) {
      if (tried(part, value, frame, mistakes)) held += 1
      if (held > 1) break
    }
    if (held === 0 && frame.mistakes !== undefined) appendAll(frame.mistakes, mistakes ?? [])
    return held === 1 || mistaken(frame, 'must match exactly one schema in oneOf')
  }
}

function allCheck(parts: readonly Part[]): Check {
  return (value, frame) => {
    let isValid = true
    for (const part of parts) {
      if (meet(part, value, frame)) continue
      isValid = false
      if (isEnough(frame)) return false
    }
    return isValid
  }
}

function ifCheck(schema: Fields, partOf: PartOf): Check {
  const condition = partOf(schema['if'])
  const [yes, no] = ['then', 'else'].map((name) => (schema[name] === undefined ? undefined : partOf(schema[name])))
  return (value, frame) => {
    const holds = tried(condition, value, frame, undefined)
    const next = holds ? yes : no
    return (
      next === undefined ||
      meet(next, value, frame) ||
      mistaken(frame, `must match "${holds ? 'then' : 'else'}" schema`)
    )
  }
}

function dependentSchemas({ dependentSchemas: map, dependencies }: Fields, partOf: PartOf): Check | undefined {
  const entries = [map, dependencies].flatMap((one) => (isFields(one) ? Object.entries(one) : []))
  const parts = entries.flatMap(([name, one]) => (Array.isArray(one) ? [] : [[name, partOf(one)] as const]))
  if (parts.length === 0) return undefined
  return (value, frame) => {
    if (!isFields(value)) return true
    frame.budget.spend(parts.length)
    return parts.every(([name, part]) => !Object.hasOwn(value, name) || meet(part, value, frame))
  }
}
