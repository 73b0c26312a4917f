/**
 * A Kind describes one kind of value in a plan, once: how it is read and compiled, its name in messages, and its JSON
 * Schema for editors. The tables of fields are made of Kinds; parser, schema and reference are derived from them.
 */
import type { Json } from '../plan.ts'
import { child, refuse, type Place, type Reading } from '../read/reading.ts'

export type SchemaFragment = Readonly<Record<string, unknown>>

export interface Kind<T> {
  readonly schema: SchemaFragment
  /** As in "must be …". */
  readonly what: string
  /** For a list or a record: the kind of its elements. */
  readonly of?: Kind<unknown>
  /** For milliseconds: the least of them. Such a field has a twin that takes text (durations.ts). */
  readonly leastMs?: number
  /** The compiled value, or undefined after the reason has been reported. */
  readonly read: (value: Json, place: Place | undefined, reading: Reading) => T | undefined
}

export type KindOf<K> = K extends Kind<infer T> ? T : never

export function isObject(value: Json | undefined): value is { readonly [key: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

export function mustBe(
  kind: { readonly what: string },
  value: Json,
  place: Place | undefined,
  reading: Reading,
  told: { readonly hint?: string } = {},
): undefined {
  const name = typeof place?.key === 'string' ? `'${place.key}'` : 'this'
  const hint = typeof value === 'number' && kind.what.startsWith('text') ? { hint: 'put it in quotes' } : told
  refuse(reading, reading.codes.invalid, place, `${name} must be ${kind.what}, not ${describe(value)}`, hint)
}

export function describe(value: Json): string {
  if (value === null) return 'empty'
  if (isList(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'object') return 'an object'
  if (typeof value !== 'string') return String(value)
  return value.length > 40 ? `'${value.slice(0, 40)}…'` : `'${value}'`
}

/** A kind that a single test on the value defines. */
export function kindOf<T extends Json>(
  what: string,
  schema: SchemaFragment,
  test: (value: Json) => value is T,
): Kind<T> {
  const kind: Kind<T> = {
    schema,
    what,
    read: (value, place, reading) => (test(value) ? value : mustBe(kind, value, place, reading)),
  }
  return kind
}

/** The same kind with further rules, run only on values that were readable. */
export function withRule<T>(
  kind: Kind<T>,
  rule: (value: T, place: Place | undefined, reading: Reading) => boolean,
): Kind<T> {
  return {
    ...kind,
    read: (value, place, reading) => {
      const read = kind.read(value, place, reading)
      return read !== undefined && rule(read, place, reading) ? read : undefined
    },
  }
}

export function listOf<T>(
  item: Kind<T>,
  limits: { min?: number; max?: number; unique?: true } = {},
): Kind<readonly T[]> {
  const { min = 0, max, unique } = limits
  const what = min === 0 ? `a list of ${item.what}` : `a list of at least ${min} × ${item.what}`
  const kind: Kind<readonly T[]> = {
    what,
    of: item,
    schema: {
      type: 'array',
      items: item.schema,
      ...(min === 0 ? {} : { minItems: min }),
      ...(max === undefined ? {} : { maxItems: max }),
      ...(unique === undefined ? {} : { uniqueItems: true }),
    },
    read: (value, place, reading) => {
      if (!isList(value) || value.length < min) return mustBe(kind, value, place, reading)
      if (max !== undefined && value.length > max) {
        refuse(reading, reading.codes.invalid, place, `a list of at most ${max} is allowed here, not ${value.length}`)
        return undefined
      }
      const read = value.map((entry, index) => item.read(entry, child(place, index), reading))
      if (unique === true && !allDifferent(value, place, reading)) return undefined
      return read.every((entry) => entry !== undefined) ? read : undefined
    },
  }
  return kind
}

function allDifferent(values: readonly Json[], place: Place | undefined, reading: Reading): boolean {
  const seen = new Set<Json>()
  let different = true
  values.forEach((value, index) => {
    if (!seen.has(value)) return seen.add(value)
    different = false
    refuse(reading, reading.codes.invalid, child(place, index), `${describe(value)} is listed twice`)
  })
  return different
}

/** An object with names chosen by the author. */
export function recordOf<T>(
  entry: Kind<T>,
  names?: { readonly pattern: RegExp; readonly what: string; readonly max?: number },
): Kind<{ readonly [name: string]: T }> {
  const kind: Kind<{ readonly [name: string]: T }> = {
    what: `an object whose values are ${entry.what}`,
    schema: {
      type: 'object',
      additionalProperties: entry.schema,
      ...(names === undefined ? {} : { propertyNames: { pattern: names.pattern.source } }),
      ...(names?.max === undefined ? {} : { maxProperties: names.max }),
    },
    read: (value, place, reading) => {
      if (!isObject(value)) return mustBe(kind, value, place, reading)
      const read: Record<string, T> = {}
      let whole = true
      const count = Object.keys(value).length
      if (names?.max !== undefined && count > names.max) {
        refuse(reading, reading.codes.invalid, place, `at most ${names.max} are allowed here, not ${count}`)
        return undefined
      }
      for (const [name, given] of Object.entries(value)) {
        const at = child(place, name)
        if (names !== undefined && !names.pattern.test(name)) {
          refuse(reading, reading.codes.invalid, at, `'${name}' must be ${names.what}`, { part: 'key' })
          whole = false
        }
        const compiled = entry.read(given, at, reading)
        if (compiled === undefined) whole = false
        else read[name] = compiled
      }
      return whole ? read : undefined
    },
  }
  return kind
}
