/**
 * A checker for the JSON Schema subset of shapes, as plain closures: no code generation and nothing to load, so the
 * append path can use it for every event. A test checks that it agrees with a full validator.
 */
import { msFromIso } from '../time.ts'

export type Schema = Readonly<Record<string, unknown>>

/**
 * Undefined when the value fits; otherwise what is wrong, beginning with the place (`.error.code must be a string`).
 */
export type Check = (value: unknown) => string | undefined

export function checkOf(schema: Schema): Check {
  if ('const' in schema) return equals([schema['const']])
  if (Array.isArray(schema['enum'])) return equals(schema['enum'])
  switch (schema['type']) {
    case 'string':
      return checkText(schema)
    case 'integer':
      return checkInteger(schema)
    case 'boolean':
      return (value) => (typeof value === 'boolean' ? undefined : ' must be true or false')
    case 'array':
      return checkList(schema)
    case 'object':
      return checkObject(schema)
    default:
      return () => undefined
  }
}

/** The same, made at its first use: a program that reads one log meets few of all event types. */
export function checkWhenUsed(schema: () => Schema): Check {
  let made: Check | undefined
  return (value) => {
    made ??= checkOf(schema())
    return made(value)
  }
}

function equals(allowed: readonly unknown[]): Check {
  const message = ` must be ${allowed.map((value) => JSON.stringify(value)).join(' or ')}`
  return (value) => (allowed.includes(value) ? undefined : message)
}

function checkText(schema: Schema): Check {
  const min = numberOr(schema['minLength'], 0)
  const max = numberOr(schema['maxLength'], Number.POSITIVE_INFINITY)
  const pattern = typeof schema['pattern'] === 'string' ? new RegExp(schema['pattern'], 'u') : undefined
  const isTime = schema['format'] === 'date-time' ? timeCheck() : undefined
  return (value) => {
    if (typeof value !== 'string') return ' must be a string'
    if (value.length < min || (min > 1 && codePoints(value) < min)) return ` must have at least ${min} characters`
    if (value.length > max && (value.length > 2 * max || codePoints(value) > max))
      return ` must have at most ${max} characters`
    if (pattern !== undefined && !pattern.test(value)) return ` must match ${pattern.source}`
    if (isTime?.(value) === false) return ' must be a date and time such as 2026-01-31T12:00:00.000Z'
    return undefined
  }
}

/** Remembers the last valid time: the events of one decision share it. */
function timeCheck(): (value: string) => boolean {
  let good = ''
  return (value) => {
    if (value === good) return true
    if (msFromIso(value) === undefined) return false
    good = value
    return true
  }
}

/** Schemas count characters, not UTF-16 units. */
function codePoints(value: string): number {
  return Array.from(value).length
}

function checkInteger(schema: Schema): Check {
  const min = numberOr(schema['minimum'], Number.NEGATIVE_INFINITY)
  const max = numberOr(schema['maximum'], Number.POSITIVE_INFINITY)
  return (value) => {
    if (!Number.isInteger(value) || typeof value !== 'number') return ' must be a whole number'
    if (value < min) return ` must be at least ${min}`
    return value > max ? ` must be at most ${max}` : undefined
  }
}

function checkList(schema: Schema): Check {
  const item = isSchema(schema['items']) ? checkOf(schema['items']) : undefined
  const max = numberOr(schema['maxItems'], Number.POSITIVE_INFINITY)
  return (value) => {
    if (!Array.isArray(value)) return ' must be a list'
    if (value.length > max) return ` must have at most ${max} items`
    if (item === undefined) return undefined
    for (let i = 0; i < value.length; i++) {
      const wrong = item(value[i])
      if (wrong !== undefined) return `[${i}]${wrong}`
    }
    return undefined
  }
}

function checkObject(schema: Schema): Check {
  const known = isSchema(schema['properties']) ? schema['properties'] : {}
  const checks = new Map(Object.entries(known).map(([name, field]) => [name, checkOf(isSchema(field) ? field : {})]))
  const required = (Array.isArray(schema['required']) ? schema['required'] : []).map(String)
  const others = schema['additionalProperties']
  const other = isSchema(others) ? checkOf(others) : undefined
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return ' must be an object'
    const fields = value as Readonly<Record<string, unknown>>
    for (const name of required) {
      if (fields[name] === undefined || !Object.hasOwn(fields, name)) return `.${name} is missing`
    }
    for (const name of Object.keys(fields)) {
      if (fields[name] === undefined) continue
      const check = checks.get(name) ?? other
      if (check === undefined && others === false) return `.${name} is not a field of this object`
      const wrong = check?.(fields[name])
      if (wrong !== undefined) return `.${name}${wrong}`
    }
    return undefined
  }
}

function numberOr(value: unknown, otherwise: number): number {
  return typeof value === 'number' ? value : otherwise
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
