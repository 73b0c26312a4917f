/** The keywords of JSON Schema that judge a single value: its type, its size, what it equals. */
import { cutText } from '../../core/cut-text.ts'
import { canonicalText } from '../log/canonical.ts'
import type { PatternShelf } from './pattern-shelf.ts'
import { formatCheck, formatLimits } from './formats.ts'
import { isFields, mistaken, type Check, type Fields, type SchemaBudget } from './part.ts'

export function valueChecks(schema: Fields, patterns: PatternShelf): readonly (Check | undefined)[] {
  return [
    typeCheck(schema['type'], schema['nullable'] === true),
    ...numberChecks(schema),
    ...textChecks(schema, patterns),
    formatCheck(schema['format']),
    ...formatLimits(schema),
    constCheck(schema),
    enumCheck(schema['enum']),
  ]
}

function typeCheck(type: unknown, isNullable: boolean): Check | undefined {
  if (type === undefined) return undefined
  const named = (Array.isArray(type) ? type : [type]).map(String)
  const types = isNullable ? [...named, 'null'] : named
  const work = types.length / 4
  const message = `must be ${named.join(',')}`
  return (value, frame) => {
    frame.budget.spend(work)
    return types.some((name) => isOfType(value, name)) || mistaken(frame, message)
  }
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return typeof value === 'object' && value !== null && !Array.isArray(value)
    case 'integer':
      return Number.isInteger(value)
    case 'number':
      return Number.isFinite(value)
    default:
      return typeof value === type
  }
}

type Comparison = readonly [keyword: string, sign: string, holds: (value: number, limit: number) => boolean]

const COMPARISONS: readonly Comparison[] = [
  ['maximum', '<=', (value, limit) => value <= limit],
  ['minimum', '>=', (value, limit) => value >= limit],
  ['exclusiveMaximum', '<', (value, limit) => value < limit],
  ['exclusiveMinimum', '>', (value, limit) => value > limit],
  ['multipleOf', 'multiple of', (value, limit) => Number.isInteger(value / limit)],
]

function numberChecks(schema: Fields): readonly Check[] {
  return COMPARISONS.flatMap(([keyword, sign, holds]) => {
    const limit = schema[keyword]
    if (typeof limit !== 'number') return []
    const check: Check = (value, frame) =>
      typeof value !== 'number' || holds(value, limit) || mistaken(frame, `must be ${sign} ${limit}`)
    return [check]
  })
}

function textChecks(schema: Fields, patterns: PatternShelf): readonly (Check | undefined)[] {
  const { maxLength: most, minLength: least, pattern } = schema
  return [
    typeof most !== 'number'
      ? undefined
      : (value, frame) =>
          typeof value !== 'string' ||
          lengthOf(value, frame.budget) <= most ||
          mistaken(frame, `must NOT have more than ${most} characters`),
    typeof least !== 'number'
      ? undefined
      : (value, frame) =>
          typeof value !== 'string' ||
          lengthOf(value, frame.budget) >= least ||
          mistaken(frame, `must NOT have fewer than ${least} characters`),
    typeof pattern === 'string' ? patternCheck(pattern, patterns) : undefined,
  ]
}

/** In characters; some consist of two code units. */
function lengthOf(text: string, budget: SchemaBudget): number {
  budget.spend(text.length / 8)
  let count = text.length
  for (let at = 0; at < text.length - 1; at++) {
    if ((text.charCodeAt(at) & 0xfc00) === 0xd800 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) count -= 1
  }
  return count
}

function patternCheck(pattern: string, patterns: PatternShelf): Check {
  const expression = patterns.take(pattern)
  return (value, frame) =>
    typeof value !== 'string' ||
    expression.test(value, frame.budget.spend) ||
    mistaken(frame, `must match pattern "${pattern}"`)
}

function constCheck(schema: Fields): Check | undefined {
  if (!Object.hasOwn(schema, 'const')) return undefined
  const wanted = schema['const']
  const message = `must be ${cutText(JSON.stringify(wanted), 500)}`
  return (value, frame) => isEqual(value, wanted, frame.budget) || mistaken(frame, message)
}

/** Ends at the first difference. */
function isEqual(one: unknown, other: unknown, budget: SchemaBudget): boolean {
  budget.spend(1)
  if (one === other) return true
  if (Array.isArray(one)) {
    if (!Array.isArray(other) || one.length !== other.length) return false
    return one.every((item, place) => isEqual(item, other[place], budget))
  }
  if (!isFields(one) || !isFields(other)) return false
  const names = Object.keys(one)
  budget.spend(names.length)
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name], budget))
  )
}

/** Values are looked up by their canonical text, so their number does not matter. */
function enumCheck(values: unknown): Check | undefined {
  if (!Array.isArray(values)) return undefined
  const allowed = new Set(values.map((value) => canonicalText(value)))
  const hasObjects = values.some((value) => typeof value === 'object' && value !== null)
  const message = `must be one of ${cutText(JSON.stringify(values), 500)}`
  return (value, frame) =>
    ((hasObjects || typeof value !== 'object' || value === null) && allowed.has(keyOf(value, frame.budget))) ||
    mistaken(frame, message)
}

/** A text that is the same for equal values. */
export function keyOf(value: unknown, budget: SchemaBudget): string {
  const text = canonicalText(value)
  budget.spend(4 + text.length)
  return text
}
