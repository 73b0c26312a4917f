/**
 * The formats of JSON Schema in bounded time: formats that are patterns are matched in linear time, those that are
 * functions get only texts short enough for their inner patterns.
 */
import { createRequire } from 'node:module'
import type { FormatName } from 'ajv-formats'
import { LinearPattern, type PatternFlags, type Spend } from './linear-pattern.ts'
import { mistaken, type Check, type Fields } from './part.ts'

/** No date or pattern is longer; a check takes at most the square of its length. */
const MAX_FORMAT_CHARS = 4_096
const FUNCTION_WORK = 16
const SQUARE_PART = 64

type Verdict<T> = (value: T) => boolean
type Given =
  | true
  | RegExp
  | Verdict<string>
  | { readonly validate: Verdict<string>; readonly compare: Compare }
  | { readonly type: 'number'; readonly validate: Verdict<number> }
type Compare = (one: string, other: string) => number | undefined

interface Format {
  readonly ofText?: (text: string, spend: Spend) => boolean
  readonly ofNumber?: Verdict<number>
  readonly compare?: Compare
}

const LIMIT_KEYWORDS: readonly (readonly [string, string, Verdict<number>])[] = [
  ['formatMaximum', '<=', (order) => order <= 0],
  ['formatMinimum', '>=', (order) => order >= 0],
  ['formatExclusiveMaximum', '<', (order) => order < 0],
  ['formatExclusiveMinimum', '>', (order) => order > 0],
]

let known: ReadonlyMap<string, Format> | undefined

export function formatCheck(name: unknown): Check | undefined {
  if (typeof name !== 'string') return undefined
  const format = formats().get(name)
  if (format === undefined) throw new Error(`unknown format "${name.slice(0, 200)}"`)
  const { ofText, ofNumber } = format
  const message = `must match format "${name}"`
  return (value, frame) => {
    if (typeof value === 'string' && ofText !== undefined) {
      return ofText(value, frame.budget.spend) || mistaken(frame, message)
    }
    return typeof value !== 'number' || ofNumber === undefined || ofNumber(value) || mistaken(frame, message)
  }
}

export function formatLimits(schema: Fields): readonly Check[] {
  return LIMIT_KEYWORDS.flatMap(([keyword, sign, holds]) => {
    const limit = schema[keyword]
    if (typeof limit !== 'string') return []
    const compare = formats().get(String(schema['format']))?.compare
    if (compare === undefined) throw new Error(`"${keyword}" needs a format that has an order, such as "date"`)
    const check: Check = (value, frame) => {
      if (typeof value !== 'string' || value.length > MAX_FORMAT_CHARS) return true
      frame.budget.spend(FUNCTION_WORK + value.length + limit.length)
      const order = compare(value, limit)
      return order === undefined || holds(order) || mistaken(frame, `should be ${sign} ${limit}`)
    }
    return [check]
  })
}

/** Loaded when the first schema uses a format. */
function formats(): ReadonlyMap<string, Format> {
  if (known !== undefined) return known
  const require = createRequire(import.meta.url)
  const { fullFormats } = require('ajv-formats/dist/formats') as {
    readonly fullFormats: Readonly<Record<FormatName, Given>>
  }
  const all = new Map(Object.entries(fullFormats).map(([name, given]) => [name, bounded(given)]))
  all.set('uri', uri(all.get('uri-reference')))
  // Linear by itself, and base64 may be long.
  all.set('byte', { ofText: counted(fullFormats.byte as Verdict<string>) })
  known = all
  return all
}

function bounded(given: Given): Format {
  if (given === true) return {}
  if (given instanceof RegExp) return { ofText: linear(given) }
  if (typeof given === 'function') return { ofText: short(given) }
  if ('type' in given) return { ofNumber: given.validate }
  return { ofText: short(given.validate), compare: given.compare }
}

function linear(format: RegExp): (text: string, spend: Spend) => boolean {
  let pattern: LinearPattern | undefined
  return (text, spend) => {
    pattern ??= new LinearPattern(format.source, format.flags as PatternFlags)
    return pattern.test(text, spend)
  }
}

/** A function may go over its text as often as the text is long, and make something of it. */
function short(validate: Verdict<string>): (text: string, spend: Spend) => boolean {
  return (text, spend) => {
    if (text.length > MAX_FORMAT_CHARS) return false
    spend(FUNCTION_WORK + text.length * (1 + text.length / SQUARE_PART))
    return validate(text)
  }
}

/** Whoever writes `data:` addresses writes long ones: a reference that has a scheme, something after it, and no quotes. */
function counted(validate: Verdict<string>): (text: string, spend: Spend) => boolean {
  return (text, spend) => {
    spend(1 + text.length)
    return validate(text)
  }
}

function uri(reference: Format | undefined): Format {
  return {
    ofText: (text, spend) => {
      spend(text.length / 4)
      return /^[a-z][a-z0-9+\-.]*:[^?#]/i.test(text) && !text.includes('"') && reference?.ofText?.(text, spend) === true
    },
  }
}
