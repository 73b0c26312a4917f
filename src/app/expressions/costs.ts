/**
 * What a call of each JMESPath function costs before it is made: every element and every piece of text it touches, and
 * what it builds. A function without an entry here cannot be called.
 */
import { LIMITS } from '../../core/limits.ts'
import { ExpressionLimit, type ExpressionBudget } from './budget.ts'
import { jsonBytes } from '../schemas/json-bytes.ts'

/** Passing a long text on is cheap; its work is counted per piece. */
const CHARS_PER_WORK = 16
/** For a text that is split: each part is a text of its own. */
const BYTES_PER_PART = 32
/** Longer needles are searched with shifts of at most this many characters. */
const SEARCH_SHIFT = 128

type Args = readonly unknown[]
type Cost = (args: Args, budget: ExpressionBudget) => void

const shallow: Cost = () => undefined

/** Each character is counted: texts are split into code points. */
const apart: Cost = ([text], budget) => {
  if (typeof text === 'string') budget.spend(text.length)
}

/** The texts of a list are read, or compared repeatedly. */
function texts(rounds: (count: number) => number): Cost {
  return ([list], budget) => {
    if (!Array.isArray(list)) return
    const times = rounds(list.length)
    for (const element of list) budget.spend(times * sizeOf(element))
  }
}

const search: Cost = ([text, needle], budget) => {
  if (typeof text !== 'string' || typeof needle !== 'string') return
  budget.spend((text.length / CHARS_PER_WORK) * (1 + needle.length / SEARCH_SHIFT))
}

const split: Cost = (args, budget) => {
  search(args, budget)
  const [text, needle] = args
  if (typeof text !== 'string' || typeof needle !== 'string') return
  const parts = needle === '' ? text.length : text.split(needle).length
  budget.spend(parts)
  budget.build(text.length + parts * BYTES_PER_PART)
}

const join: Cost = ([joint, list], budget) => {
  if (typeof joint !== 'string' || !Array.isArray(list)) return
  let chars = 0
  for (const part of list) {
    budget.spend(sizeOf(part))
    chars += joint.length + (typeof part === 'string' ? part.length : 0)
  }
  limitText(chars)
}

const replace: Cost = (args, budget) => {
  split(args, budget)
  const [text, old, by] = args
  if (typeof text !== 'string' || typeof old !== 'string' || typeof by !== 'string' || old === '') return
  limitText(text.length + (text.split(old).length - 1) * Math.max(0, by.length - old.length))
}

const pad: Cost = ([, width], budget) => {
  if (typeof width !== 'number') return
  limitText(width)
  budget.spend(width / CHARS_PER_WORK)
}

/** Every part of the value is visited, however small. */
const written: Cost = ([value], budget) => {
  if (typeof value === 'string') return
  const bytes = jsonBytes(value, LIMITS.expandedTextBytes)
  if (bytes === undefined) return limitText(Infinity)
  budget.spend(bytes)
}

/** Each pair is a list of its own. */
const pairs: Cost = ([value], budget) => budget.spend(3 * sizeOf(value))

const sorted = texts((count) => 1 + Math.ceil(Math.log2(count + 1)))
const once = texts(() => 1)

const COSTS: Readonly<Record<string, Cost>> = {
  abs: shallow,
  avg: once,
  ceil: shallow,
  contains: search,
  ends_with: shallow,
  find_first: search,
  find_last: search,
  floor: shallow,
  from_items: pairs,
  // Keys are charged when they are compared or kept, in the function itself.
  group_by: shallow,
  items: pairs,
  join,
  keys: shallow,
  length: shallow,
  lower: shallow,
  map: shallow,
  max: once,
  max_by: shallow,
  merge: shallow,
  min: once,
  min_by: shallow,
  not_null: shallow,
  pad_left: pad,
  pad_right: pad,
  replace,
  reverse: apart,
  sort: sorted,
  sort_by: shallow,
  split,
  starts_with: shallow,
  sum: once,
  to_array: shallow,
  to_number: shallow,
  to_string: written,
  trim: apart,
  trim_left: apart,
  trim_right: apart,
  type: shallow,
  upper: shallow,
  values: shallow,
  zip: shallow,
}

export function chargeCall(name: string, args: Args, budget: ExpressionBudget): void {
  const cost = COSTS[name]
  if (cost === undefined) throw new ExpressionLimit(`the cost of ${name}() is not known`)
  for (const arg of args) budget.spend(sizeOf(arg))
  cost(args, budget)
}

/** The result of a call: each text and all texts together are bounded; a list or an object costs its elements. */
export function chargeResult(result: unknown, budget: ExpressionBudget): void {
  budget.spend(sizeOf(result))
  if (typeof result !== 'string') return
  const bytes = Buffer.byteLength(result)
  limitText(bytes)
  budget.build(bytes)
}

/** Comparing keys in order to sort them, or keeping them. */
export function chargeKeys(keys: Args, budget: ExpressionBudget): void {
  sorted([keys], budget)
}

export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return Math.ceil(value.length / CHARS_PER_WORK)
  if (Array.isArray(value)) return value.length
  return typeof value === 'object' && value !== null ? Object.keys(value).length : 1
}

function limitText(bytes: number): void {
  if (bytes > LIMITS.expandedTextBytes)
    throw new ExpressionLimit(`it builds a text of more than ${LIMITS.expandedTextBytes} bytes`)
}
