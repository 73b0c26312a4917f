/**
 * The sorts of values that plan fields are made of: ids, numbers within bounds, durations, expressions, mappings and
 * schemas. Each says in words what it wants, so that a refusal can tell the author.
 */
import { LIMITS } from '../limits.ts'
import { inlineSecrets, SECRET_REFERENCE } from './inline-secrets.ts'
import { isObject, kindOf, mustBe, withRule, type Kind } from './kind.ts'
import type { Json, JsonSchema, Mapping } from './plan.ts'
import { PLAN_LIMITS, REFUSED_KEYS } from './plan-limits.ts'
import { child, refuse, type Place, type Reading } from './reading.ts'
import { parseTemplate, wholeExpression } from './template.ts'

const ID_PATTERN = `^[A-Za-z0-9_.-]{1,${PLAN_LIMITS.idChars}}$`
const ID = new RegExp(ID_PATTERN)

export const id: Kind<string> = kindOf(
  `text of letters, digits, '_', '.', '-', at most ${PLAN_LIMITS.idChars}`,
  { type: 'string', pattern: ID_PATTERN },
  (value): value is string => typeof value === 'string' && ID.test(value) && !REFUSED_KEYS.has(value),
)

export const names = { pattern: ID, what: `a name of letters, digits, '_', '.', '-'` }

export function text(limits: { max?: number; pattern?: RegExp; what?: string } = {}): Kind<string> {
  const { max = PLAN_LIMITS.textChars, pattern, what = 'text' } = limits
  const kind = kindOf(
    what,
    { type: 'string', minLength: 1, maxLength: max, ...(pattern === undefined ? {} : { pattern: pattern.source }) },
    (value): value is string =>
      typeof value === 'string' &&
      value !== '' &&
      value.length <= max &&
      (pattern === undefined || pattern.test(value)),
  )
  return {
    ...kind,
    read: (value, place, reading) => {
      if (typeof value !== 'string' || value.length <= max) return kind.read(value, place, reading)
      const name = typeof place?.key === 'string' ? `'${place.key}'` : 'this'
      const message = `${name} has ${value.length} characters; at most ${max} are allowed`
      refuse(reading, reading.codes.invalid, place, message)
      return undefined
    },
  }
}

/** Text that may be empty, such as an argument of a command. */
export const anyText: Kind<string> = kindOf('text', { type: 'string' }, (value) => typeof value === 'string')

export function integer(min: number, max: number): Kind<number> {
  return kindOf(
    `a whole number from ${min} to ${max}`,
    { type: 'integer', minimum: min, maximum: max },
    (value): value is number => typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max,
  )
}

export function decimal(min: number, max: number): Kind<number> {
  return kindOf(
    `a number from ${min} to ${max}`,
    { type: 'number', minimum: min, maximum: max },
    (value): value is number => typeof value === 'number' && value >= min && value <= max,
  )
}

export const durationMs = integer(1, PLAN_LIMITS.durationMsMax)
export const delayMs = integer(0, PLAN_LIMITS.durationMsMax)

export function oneOf<const T extends string>(...values: readonly T[]): Kind<T> {
  const list = values.map((value) => `'${value}'`)
  const what = list.length === 1 ? list.join('') : `${list.slice(0, -1).join(', ')} or ${list.at(-1)}`
  return kindOf(what, { enum: [...values] }, (value): value is T => values.some((allowed) => allowed === value))
}

export const labels: Kind<{ readonly [name: string]: string }> = kindOf(
  'an object whose values are text',
  { type: 'object', additionalProperties: { type: 'string' } },
  (value): value is { readonly [name: string]: string } =>
    isObject(value) && Object.values(value).every((label) => typeof label === 'string'),
)

export const secretReference: Kind<string> = {
  what: 'a reference such as secret://payments/token',
  schema: { type: 'string', pattern: SECRET_REFERENCE.source },
  read: (value, place, reading) => {
    if (typeof value === 'string' && SECRET_REFERENCE.test(value)) return value
    const bare = typeof value === 'string' && /^[a-zA-Z0-9\-_/]+$/.test(value)
    const hint = bare ? { hint: `did you mean 'secret://${value}'?` } : {}
    refuse(reading, 'PLAN_SECRET_INLINE', place, 'a secret must be a reference such as secret://payments/token', hint)
    return undefined
  },
}

/** A JSON value of the author's own, whose texts may hold `${…}`; it is compiled as it stands. */
export const json: Kind<Json> = {
  what: 'a value',
  schema: {},
  read: (value, place, reading) => {
    collectTemplates(value, place, reading)
    return inlineSecrets(value, place, reading) ? undefined : value
  },
}

export const mapping: Kind<Mapping> = {
  what: 'an object',
  schema: { type: 'object' },
  read: (value, place, reading) => {
    if (!isObject(value)) return mustBe(mapping, value, place, reading)
    return json.read(value, place, reading) === undefined ? undefined : value
  },
}

/** Values that are taken as they stand: nothing is evaluated in them, so an expression there is a mistake. */
export const plainObject: Kind<Mapping> = {
  what: 'an object',
  schema: { type: 'object' },
  read: (value, place, reading) => {
    const before = reading.sites.length
    const read = mapping.read(value, place, reading)
    const computed = reading.sites.splice(before)
    for (const site of computed) {
      refuse(reading, reading.codes.invalid, site.place, 'nothing is evaluated here, so ${…} cannot be used')
    }
    return computed.length === 0 ? read : undefined
  },
}

/** Text in which `${…}` is replaced when the step runs. */
export function template(kind: Kind<string>): Kind<string> {
  return withRule(kind, (value, place, reading) => {
    collectTemplates(value, place, reading)
    return true
  })
}

function collectTemplates(value: Json, place: Place | undefined, reading: Reading): void {
  if (typeof value === 'string') {
    if (value.includes('${') && place !== undefined) reading.sites.push({ role: 'template', place, value })
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, entry] of Object.entries(value)) collectTemplates(entry, child(place, key), reading)
  }
}

/** A bare JMESPath expression; one that is wrapped in `${…}` as a whole is compiled to its bare form. */
export function expression(role: 'expression' | 'transform'): Kind<string> {
  const kind: Kind<string> = {
    what: 'an expression (text)',
    schema: { type: 'string', minLength: 1 },
    read: (value, place, reading) => {
      if (typeof value !== 'string' || value.trim() === '') return mustBe(kind, value, place, reading)
      const trimmed = value.trim()
      const parsed = trimmed.includes('${') ? parseTemplate(trimmed) : undefined
      const bare = (parsed?.ok === true ? wholeExpression(parsed.value) : undefined) ?? trimmed
      if (place !== undefined) reading.sites.push({ role, place, value: bare })
      return bare
    },
  }
  return kind
}

export const jsonSchema: Kind<JsonSchema> = {
  what: 'a JSON Schema (an object, true or false)',
  schema: { type: ['object', 'boolean'] },
  read: (value, place, reading) => {
    if (!isObject(value) && typeof value !== 'boolean') return mustBe(jsonSchema, value, place, reading)
    if (place !== undefined) reading.sites.push({ role: 'schema', place, value })
    return value
  },
}

const PATH_PATTERN = `^[A-Za-z_][A-Za-z0-9_-]*(\\.[A-Za-z_][A-Za-z0-9_-]*){0,${PLAN_LIMITS.pathSegments - 1}}$`
const PATH = new RegExp(PATH_PATTERN)

/** A dotted path in the run's context that cannot reach a prototype (DFL-11). */
export const contextPath: Kind<string> = kindOf(
  'a dotted path of names such as order.total',
  { type: 'string', pattern: PATH_PATTERN },
  (value): value is string =>
    typeof value === 'string' && PATH.test(value) && !value.split('.').some((segment) => REFUSED_KEYS.has(segment)),
)

export const concurrency = integer(LIMITS.concurrencyMin, LIMITS.concurrencyMax)
