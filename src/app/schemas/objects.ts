/** The keywords of JSON Schema that judge objects, their keys and their members; defaults are filled in here. */
import { LIMITS } from '../../core/limits.ts'
import { jsonBytes } from './json-bytes.ts'
import type { LinearPattern } from './linear-pattern.ts'
import type { PatternShelf } from './pattern-shelf.ts'
import type { PartOf } from './lists.ts'
import {
  below,
  changed,
  isEnough,
  isFields,
  meet,
  mistaken,
  noteName,
  type Check,
  type Fields,
  type Frame,
  type Part,
} from './part.ts'

type ObjectCheck = (value: Fields, frame: Frame) => boolean

export function objectChecks(schema: Fields, partOf: PartOf, shelf: PatternShelf): readonly (Check | undefined)[] {
  const { maxProperties: most, minProperties: least, required, propertyNames } = schema
  return [
    defaultsOf(schema['properties']),
    typeof most !== 'number'
      ? undefined
      : ofObjects(
          (value, frame) =>
            countOf(value, frame) <= most || mistaken(frame, `must NOT have more than ${most} properties`),
        ),
    typeof least !== 'number'
      ? undefined
      : ofObjects(
          (value, frame) =>
            countOf(value, frame) >= least || mistaken(frame, `must NOT have fewer than ${least} properties`),
        ),
    Array.isArray(required) ? ofObjects((value, frame) => hasAll(value, required.map(String), frame)) : undefined,
    dependentRequired(schema),
    propertyNames === undefined ? undefined : namesCheck(partOf(propertyNames)),
    ...memberChecks(schema, partOf, shelf),
  ]
}

/** Checks of existing members, and of members that may not exist. */
function memberChecks(schema: Fields, partOf: PartOf, shelf: PatternShelf): readonly (Check | undefined)[] {
  const named = partsOf(schema['properties'], partOf)
  const patterns = [...partsOf(schema['patternProperties'], partOf)].map(
    ([pattern, part]) => [shelf.take(pattern), part] as const,
  )
  const { additionalProperties: rest } = schema
  return [
    rest === undefined ? undefined : restCheck(rest, new Set(named.keys()), patterns, partOf(rest)),
    named.size === 0 ? undefined : ofObjects((value, frame) => haveNamed(value, named, frame)),
    patterns.length === 0 ? undefined : ofObjects((value, frame) => haveMatching(value, patterns, frame)),
  ]
}

/** Last: by then every other part has reported what it evaluated. */
export function unevaluatedProperties(schema: Fields, partOf: PartOf): Check | undefined {
  const { unevaluatedProperties: rest } = schema
  if (rest === undefined) return undefined
  const part = partOf(rest)
  return ofObjects((value, frame) => {
    const { seen } = frame
    if (seen === undefined || seen.allNames) return true
    const isValid = every(namesOf(value, frame), frame, (name) => {
      if (seen.names.has(name)) return true
      if (rest === false) return mistaken(frame, 'must NOT have unevaluated properties')
      return meet(part, value[name], below(frame, name))
    })
    seen.allNames = true
    return isValid
  })
}

function ofObjects(check: ObjectCheck): Check {
  return (value, frame) => !isFields(value) || check(value, frame)
}

function partsOf(map: unknown, partOf: PartOf): ReadonlyMap<string, Part> {
  return new Map(isFields(map) ? Object.entries(map).map(([name, schema]) => [name, partOf(schema)]) : [])
}

function isThere(value: Fields, name: string): boolean {
  return Object.hasOwn(value, name) && value[name] !== undefined
}

/** Names are charged by length: they are matched, compared and reported. */
function namesOf(value: Fields, { budget }: Frame): readonly string[] {
  const names = Object.keys(value)
  for (const name of names) budget.spend(2 + name.length / 16)
  return names
}

function countOf(value: Fields, frame: Frame): number {
  const { length } = Object.keys(value)
  frame.budget.spend(length)
  return length
}

/** Continues after a mistake as long as more mistakes are wanted. */
function every(names: Iterable<string>, frame: Frame, holds: (name: string) => boolean): boolean {
  let isValid = true
  for (const name of names) {
    if (holds(name)) continue
    isValid = false
    if (isEnough(frame)) return false
  }
  return isValid
}

function hasAll(value: Fields, names: readonly string[], frame: Frame): boolean {
  frame.budget.spend(names.length)
  return every(names, frame, (name) => isThere(value, name) || mistaken(frame, `must have \`${name}\``))
}

function dependentRequired({ dependentRequired: required, dependencies }: Fields): Check | undefined {
  const lists = [required, dependencies].flatMap((map) => (isFields(map) ? Object.entries(map) : []))
  const needs = lists.flatMap(([name, list]) => (Array.isArray(list) ? [[name, list.map(String)] as const] : []))
  if (needs.length === 0) return undefined
  return ofObjects((value, frame) => {
    frame.budget.spend(needs.length)
    return needs.every(([name, others]) => {
      if (!isThere(value, name)) return true
      frame.budget.spend(others.length)
      const words = (other: string): string => `must have property ${other} when property ${name} is present`
      return every(others, frame, (other) => isThere(value, other) || mistaken(frame, words(other)))
    })
  })
}

function namesCheck(part: Part): Check {
  return ofObjects((value, frame) =>
    every(
      namesOf(value, frame),
      frame,
      (name) =>
        meet(part, name, changed(frame, { seen: undefined, fills: false })) ||
        mistaken(frame, `property name must be valid: \`${name}\``),
    ),
  )
}

type Patterns = readonly (readonly [LinearPattern, Part])[]

function restCheck(rest: unknown, named: ReadonlySet<string>, patterns: Patterns, part: Part): Check | undefined {
  return ofObjects((value, frame) => {
    const isValid = every(namesOf(value, frame), frame, (name) => {
      if (named.has(name) || patterns.some(([pattern]) => pattern.test(name, frame.budget.spend))) return true
      if (rest === false) return mistaken(frame, `must not have \`${name}\``)
      return meet(part, value[name], below(frame, name))
    })
    if (frame.seen !== undefined) frame.seen.allNames = true
    return isValid
  })
}

function haveNamed(value: Fields, parts: ReadonlyMap<string, Part>, frame: Frame): boolean {
  frame.budget.spend(parts.size)
  return every(parts.keys(), frame, (name) => {
    const part = parts.get(name)
    if (part === undefined || !isThere(value, name)) return true
    noteName(frame, name)
    return meet(part, value[name], below(frame, name))
  })
}

function haveMatching(value: Fields, patterns: Patterns, frame: Frame): boolean {
  return every(namesOf(value, frame), frame, (name) =>
    patterns.every(([pattern, part]) => {
      if (!pattern.test(name, frame.budget.spend)) return true
      noteName(frame, name)
      return meet(part, value[name], below(frame, name))
    }),
  )
}

/** Changes the value, which is then the caller's own copy; each default is copied too. */
function defaultsOf(properties: unknown): Check | undefined {
  if (!isFields(properties)) return undefined
  const defaults = Object.entries(properties).flatMap(([name, schema]) => {
    if (!isFields(schema) || schema['default'] === undefined) return []
    const bytes = jsonBytes(schema['default'], LIMITS.schemaBytes) ?? LIMITS.schemaBytes
    return [{ name, bytes, text: JSON.stringify(schema['default']) }]
  })
  if (defaults.length === 0) return undefined
  return ofObjects((value, frame) => {
    if (!frame.fills) return true
    frame.budget.spend(defaults.length)
    for (const { name, bytes, text } of defaults) {
      if (isThere(value, name)) continue
      frame.budget.build(bytes)
      ;(value as Record<string, unknown>)[name] = JSON.parse(text)
    }
    return true
  })
}
