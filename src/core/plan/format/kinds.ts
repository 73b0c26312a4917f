/**
 * The kinds of values in plan fields: ids, numbers within bounds, durations, expressions, mappings and schemas. Each
 * says in words what it requires, so that a refusal can tell the author.
 */
import { durationMs as ofDuration } from '../../duration.ts'
import { LIMITS } from '../../limits.ts'
import { inlineSecrets, SECRET_REFERENCE } from './inline-secrets.ts'
import { secretsInSchema } from './inline-secrets-elsewhere.ts'
import { isList, isObject, kindOf, mustBe, withRule, type Kind } from './kind.ts'
import type { Json, JsonSchema, Mapping } from '../plan.ts'
import { PLAN_LIMITS, REFUSED_KEYS } from '../plan-limits.ts'
import { child, refuse, type Place, type Reading } from '../read/reading.ts'
import { withNumberLiterals } from '../read/bare-numbers.ts'
import { withNullDefaults } from '../read/null-defaults.ts'
import { mapExpressions, parseTemplate, wholeExpression } from '../read/template.ts'

const ID_PATTERN = `^[A-Za-z0-9_.-]{1,${PLAN_LIMITS.idChars}}$`
const ID = new RegExp(ID_PATTERN)

export const id: Kind<string> = kindOf(
  `text of letters, digits, '_', '.', '-', at most ${PLAN_LIMITS.idChars}`,
  { type: 'string', pattern: ID_PATTERN },
  (value): value is string => typeof value === 'string' && ID.test(value) && !REFUSED_KEYS.has(value),
)

const AGENT_PATTERN = '^(?:@[A-Za-z0-9_.-]+/)?[A-Za-z0-9_.-]+$'
const AGENT = new RegExp(AGENT_PATTERN)

/** An id, which may have a scope: `@acme/payments`. */
export const agentId: Kind<string> = kindOf(
  `text of letters, digits, '_', '.', '-', at most ${PLAN_LIMITS.idChars}, which may begin with a scope such as @acme/`,
  { type: 'string', maxLength: PLAN_LIMITS.idChars, pattern: AGENT_PATTERN },
  (value): value is string =>
    typeof value === 'string' &&
    value.length <= PLAN_LIMITS.idChars &&
    AGENT.test(value) &&
    !value.split(/[@/]/).some((part) => REFUSED_KEYS.has(part)),
)

export const agentNames = {
  pattern: AGENT,
  what: `a name of letters, digits, '_', '.', '-', which may begin with a scope such as @acme/`,
}

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

export const durationMs = milliseconds(1)
export const delayMs = milliseconds(0)

function milliseconds(leastMs: number): Kind<number> {
  const kind = { ...integer(leastMs, PLAN_LIMITS.durationMsMax), leastMs }
  return { ...kind, read: (value, place, reading) => readMs(kind, value, place, reading) }
}

/** Whoever writes `timeoutMs: 30s` is told the field that takes text. */
export function readMs<T>(kind: Kind<T>, value: Json, place: Place | undefined, reading: Reading): T | undefined {
  const isText = typeof value === 'string' && ofDuration(value) !== undefined
  if (!isText) return kind.read(value, place, reading)
  const hint = `write ${String(place?.key).replace(/Ms$/, '')}: ${value}`
  return mustBe(kind, value, place, reading, { hint })
}

export function oneOf<const T extends string>(...values: readonly T[]): Kind<T> {
  const list = values.map((value) => `'${value}'`)
  const what = list.length === 1 ? list.join('') : `${list.slice(0, -1).join(', ')} or ${list.at(-1)}`
  return kindOf(what, { enum: [...values] }, (value): value is T => values.some((allowed) => allowed === value))
}

export const labels: Kind<{ readonly [name: string]: string }> = withRule(
  kindOf(
    'an object whose values are text',
    { type: 'object', additionalProperties: { type: 'string' } },
    (value): value is { readonly [name: string]: string } =>
      isObject(value) && Object.values(value).every((label) => typeof label === 'string'),
  ),
  (value, place, reading) => !inlineSecrets(value, place, reading),
)

const LABEL_NAME = new RegExp(`^[^=]{1,${LIMITS.labelChars}}$`)

/** Of a run: found by name and value, so both are short, and a name has no `=`. */
export const runLabels: Kind<{ readonly [name: string]: string }> = template({
  what: `an object of at most ${LIMITS.runLabels} texts`,
  schema: {
    type: 'object',
    maxProperties: LIMITS.runLabels,
    propertyNames: { pattern: LABEL_NAME.source },
    additionalProperties: { type: 'string' },
  },
  read: (value, place, reading) => {
    const read = labels.read(value, place, reading)
    if (read === undefined) return undefined
    const found = Object.keys(read)
    const wrong = found.find((name) => !LABEL_NAME.test(name))
    if (wrong !== undefined)
      refuse(
        reading,
        reading.codes.invalid,
        child(place, wrong),
        `a label has a name of 1 to ${LIMITS.labelChars} characters, without '='`,
        { part: 'key' },
      )
    if (found.length > LIMITS.runLabels)
      refuse(
        reading,
        reading.codes.invalid,
        place,
        `a plan gives its runs ${LIMITS.runLabels} labels at most, not ${found.length}`,
      )
    return wrong === undefined && found.length <= LIMITS.runLabels ? read : undefined
  },
})

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

/** Any JSON value of the author, whose texts may hold `${…}`; only numbers in expressions are spelled out. */
export const json: Kind<Json> = {
  what: 'a value',
  schema: {},
  read: (value, place, reading) => {
    const read = collectTemplates(value, place, reading)
    return inlineSecrets(value, place, reading) ? undefined : read
  },
}

export const mapping: Kind<Mapping> = {
  what: 'an object',
  schema: { type: 'object' },
  read: (value, place, reading) => {
    if (!isObject(value)) return mustBe(mapping, value, place, reading)
    const read = json.read(value, place, reading)
    return isObject(read) ? read : undefined
  },
}

/** Values that are taken literally: nothing is evaluated in them, so an expression there is a mistake. */
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
export function template<T extends Json>(kind: Kind<T>): Kind<T> {
  return {
    ...kind,
    read: (value, place, reading) => {
      const read = kind.read(value, place, reading)
      // A text becomes a text, and all else stays as it is.
      return read === undefined ? undefined : (collectTemplates(read, place, reading) as T)
    },
  }
}

/** As JMESPath wants it: numbers between backticks, `??` as the function that it is. */
function spelledOut(written: string): string {
  return withNullDefaults(withNumberLiterals(written))
}

/** The value with the numbers in its expressions spelled out; itself where there are none. */
function collectTemplates(value: Json, place: Place | undefined, reading: Reading): Json {
  if (typeof value === 'string') {
    if (!value.includes('${')) return value
    const read = mapExpressions(value, spelledOut)
    if (place !== undefined) reading.sites.push({ role: 'template', place, value: read })
    return read
  }
  if (typeof value !== 'object' || value === null) return value
  if (isList(value)) {
    const read = value.map((entry, index) => collectTemplates(entry, child(place, String(index)), reading))
    return read.every((entry, index) => entry === value[index]) ? value : read
  }
  const read = Object.entries(value).map(
    ([key, entry]) => [key, collectTemplates(entry, child(place, key), reading)] as const,
  )
  return read.every(([key, entry]) => entry === value[key]) ? value : Object.fromEntries(read)
}

/** A bare JMESPath expression; one that is wrapped as a whole in `${…}` is compiled to its bare form. */
export function expression(role: 'expression' | 'transform'): Kind<string> {
  const kind: Kind<string> = {
    what: 'an expression (text)',
    schema: { type: 'string', minLength: 1 },
    read: (value, place, reading) => {
      if (typeof value !== 'string' || value.trim() === '') return mustBe(kind, value, place, reading)
      const trimmed = value.trim()
      const parsed = trimmed.includes('${') ? parseTemplate(trimmed) : undefined
      const bare = spelledOut((parsed?.ok === true ? wholeExpression(parsed.value) : undefined) ?? trimmed)
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
    if (secretsInSchema(value, place, reading)) return undefined
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

export const onSkip = oneOf('satisfy', 'cascade')

export const concurrency = integer(LIMITS.concurrencyMin, LIMITS.concurrencyMax)
