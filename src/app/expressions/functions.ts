/**
 * Functions that replace those of the JMESPath library where they would depend on the machine's locale, order numbers
 * as text, lose keys such as `constructor`, or take time or memory out of proportion to their arguments. Same names,
 * same arguments, otherwise same results.
 */
import {
  TYPE_ARRAY,
  TYPE_ARRAY_NUMBER,
  TYPE_ARRAY_STRING,
  TYPE_EXPREF,
  TYPE_NUMBER,
  TYPE_OBJECT,
  TYPE_STRING,
  type InputSignature,
  type JSONArray,
  type JSONValue,
} from '@jmespath-community/jmespath'
import { compareCodePoints } from '../../core/plan/compile/graph.ts'
import type { SyntaxTree } from './check.ts'

export type Argument = JSONValue | SyntaxTree

export interface Replacement {
  readonly signature: InputSignature[]
  readonly call: (args: readonly Argument[], calling: Calling) => JSONValue
}

interface Calling {
  /** Evaluates an `&expression` argument over one element. */
  readonly visit: (tree: Argument, element: JSONValue) => JSONValue
  /** Charges for comparing these keys with one another. */
  readonly compares: (keys: readonly unknown[]) => void
}

type Key = number | string
interface Keyed {
  readonly key: Key
  readonly element: JSONValue
}

const TEXT: InputSignature = { types: [TYPE_STRING] }
const OPTIONAL_TEXT: InputSignature = { types: [TYPE_STRING], optional: true }
const LIST_AND_EXPRESSION: InputSignature[] = [{ types: [TYPE_ARRAY] }, { types: [TYPE_EXPREF] }]
const KEYS: InputSignature[] = [{ types: [TYPE_ARRAY_STRING, TYPE_ARRAY_NUMBER] }]
const BLANKS = new Set(' \t\n\r\f\v\u0085\u00a0\u2028\u2029\ufeff')

export const REPLACEMENTS: Readonly<Record<string, Replacement>> = {
  sort: { signature: KEYS, call: ([list]) => keysOf(listOf(list)).sort(compareKeys) },
  max: { signature: KEYS, call: ([list]) => extreme(keysOf(listOf(list)), (key) => key, 1) ?? null },
  min: { signature: KEYS, call: ([list]) => extreme(keysOf(listOf(list)), (key) => key, -1) ?? null },
  sort_by: {
    signature: LIST_AND_EXPRESSION,
    call: ([list, tree], calling) =>
      keyed(list, tree, calling)
        .sort((a, b) => compareKeys(a.key, b.key))
        .map(({ element }) => element),
  },
  max_by: {
    signature: LIST_AND_EXPRESSION,
    call: ([list, tree], calling) => extreme(keyed(list, tree, calling), ({ key }) => key, 1)?.element ?? null,
  },
  min_by: {
    signature: LIST_AND_EXPRESSION,
    call: ([list, tree], calling) => extreme(keyed(list, tree, calling), ({ key }) => key, -1)?.element ?? null,
  },
  group_by: { signature: LIST_AND_EXPRESSION, call: ([list, tree], calling) => groups(keyed(list, tree, calling)) },
  length: {
    signature: [{ types: [TYPE_STRING, TYPE_ARRAY, TYPE_OBJECT] }],
    call: ([value]) => lengthOf(value),
  },
  find_last: {
    signature: [TEXT, TEXT, { types: [TYPE_NUMBER], optional: true }, { types: [TYPE_NUMBER], optional: true }],
    call: ([text, needle, start, end]) => lastPlace(textOf(text), textOf(needle), wholeOf(start), wholeOf(end)),
  },
  trim: { signature: [TEXT, OPTIONAL_TEXT], call: ([text, chars]) => trimmed(text, chars, true, true) },
  trim_left: { signature: [TEXT, OPTIONAL_TEXT], call: ([text, chars]) => trimmed(text, chars, true, false) },
  trim_right: { signature: [TEXT, OPTIONAL_TEXT], call: ([text, chars]) => trimmed(text, chars, false, true) },
  replace: {
    signature: [TEXT, TEXT, TEXT, { types: [TYPE_NUMBER], optional: true }],
    call: ([text, old, by, count]) => replaced(textOf(text), textOf(old), textOf(by), count),
  },
}

function listOf(value: Argument | undefined): JSONArray {
  if (!Array.isArray(value)) throw new Error('a list is needed')
  return value
}

function textOf(value: Argument | undefined): string {
  if (typeof value !== 'string') throw new Error('a text is needed')
  return value
}

function keysOf(list: JSONArray): Key[] {
  return list.map((key) => {
    if (typeof key !== typeof list[0] || (typeof key !== 'number' && typeof key !== 'string')) {
      throw new Error('only numbers alone or texts alone can be ordered')
    }
    return key
  })
}

function keyed(list: Argument | undefined, tree: Argument | undefined, { visit, compares }: Calling): Keyed[] {
  if (tree === undefined) throw new Error('an &expression is needed')
  const elements = listOf(list)
  const keys = keysOf(elements.map((element) => visit(tree, element)))
  compares(keys)
  return elements.map((element, index) => ({ element, key: keys[index] ?? '' }))
}

function compareKeys(a: Key, b: Key): number {
  return typeof a === 'number' && typeof b === 'number' ? a - b : compareCodePoints(String(a), String(b))
}

/** The first of the greatest (sign 1) or least (sign -1) elements. */
function extreme<T>(list: readonly T[], keyOf: (entry: T) => Key, sign: 1 | -1): T | undefined {
  let best = list[0]
  for (const entry of list) {
    if (best !== undefined && compareKeys(keyOf(entry), keyOf(best)) * sign > 0) best = entry
  }
  return best
}

function groups(entries: readonly Keyed[]): JSONValue {
  const byKey = new Map<string, JSONValue[]>()
  for (const { key, element } of entries) {
    if (typeof key !== 'string') throw new Error('group_by() needs texts as keys')
    const group = byKey.get(key)
    if (group === undefined) byKey.set(key, [element])
    else group.push(element)
  }
  return Object.fromEntries(byKey)
}

function trimmed(value: Argument | undefined, chars: Argument | undefined, left: boolean, right: boolean): string {
  const text = [...textOf(value)]
  const dropped = typeof chars === 'string' && chars !== '' ? new Set(chars) : BLANKS
  const first = text.findIndex((char) => !dropped.has(char))
  if (first === -1) return ''
  const start = left ? first : 0
  const end = right ? text.findLastIndex((char) => !dropped.has(char)) + 1 : text.length
  return text.slice(start, end).join('')
}

function replaced(text: string, old: string, by: string, count: Argument | undefined): string {
  if (old === '') throw new Error('replace() needs a text to look for')
  if (count !== undefined && (typeof count !== 'number' || !Number.isInteger(count) || count < 0)) {
    throw new Error('replace() counts with whole numbers')
  }
  const parts = text.split(old)
  const joints = Math.min(parts.length - 1, count ?? parts.length)
  return [parts.slice(0, joints + 1).join(by), ...parts.slice(joints + 1)].join(old)
}

/** In characters; some consist of two code units. */
function lengthOf(value: Argument | undefined): number {
  if (typeof value !== 'string') return Array.isArray(value) ? value.length : Object.keys(value ?? {}).length
  let count = 0
  for (let at = 0; at < value.length; at += (value.codePointAt(at) ?? 0) > 0xffff ? 2 : 1) count += 1
  return count
}

function wholeOf(value: Argument | undefined): number {
  if (value === undefined || value === null) return 0
  if (!Number.isInteger(value)) throw new Error('invalid-value: expecting an integer.')
  return Number(value)
}

/**
 * The last position of a needle, in linear time (Knuth, Morris, Pratt, from the end): the platform starts again at
 * every position.
 */
function lastPlace(text: string, needle: string, from: number, to: number): number | null {
  if (text === '' || needle === '') return null
  const first = Math.max(from, 0)
  const end = Math.min(to === 0 ? text.length : to, text.length)
  const last = needle.length - 1
  const falls = new Int32Array(needle.length)
  for (let at = 1, length = 0; at < needle.length; at++) {
    while (length > 0 && needle[last - at] !== needle[last - length]) length = falls[length - 1] ?? 0
    if (needle[last - at] === needle[last - length]) length += 1
    falls[at] = length
  }
  for (let at = end - 1, found = 0; at >= first; at--) {
    while (found > 0 && text[at] !== needle[last - found]) found = falls[found - 1] ?? 0
    if (text[at] === needle[last - found]) found += 1
    if (found === needle.length) return at
  }
  return null
}
