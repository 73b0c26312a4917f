/**
 * The functions of a module, by the names plans call. Named exports, `export default {…}` and `export const steps = {…}` mean the
 * same, for the command line, the library and a thread of its own; nested objects give dotted names. Two different
 * functions under one name are refused: which of them a plan means would be chance.
 */
import { fail } from '../../problems/problem.ts'

export type AnyFunction = (...args: never) => unknown

/** Exports that hold functions and are no group of their own. */
const WRAPPERS: ReadonlySet<string> = new Set(['default', 'steps'])
/** What Node adds to a CommonJS module; `default` has the same. */
const COMMON_JS = 'module.exports'

interface Found {
  readonly functions: Record<string, AnyFunction>
  /** Where each came from, for the message about two of one name. */
  readonly from: Map<string, string>
}

export function namedFunctions(exported: Readonly<Record<string, unknown>>): Readonly<Record<string, AnyFunction>> {
  const found: Found = { functions: {}, from: new Map() }
  unwrap(exported, 'the named exports', found, [])
  return found.functions
}

function unwrap(source: object, where: string, found: Found, within: readonly object[]): void {
  if (within.includes(source)) return
  const wrapped: (readonly [string, object])[] = []
  for (const [key, value] of entriesOf(source)) {
    if (WRAPPERS.has(key) && typeof value === 'object' && value !== null) wrapped.push([key, value])
    else if (key !== 'default' && key !== COMMON_JS) collect([key, value], where, found, [source])
  }
  for (const [key, value] of wrapped)
    unwrap(value, key === 'default' ? '`export default`' : '`steps`', found, [...within, source])
}

function collect(
  [name, value]: readonly [string, unknown],
  where: string,
  found: Found,
  within: readonly object[],
): void {
  if (typeof value === 'function') {
    const { functions, from } = found
    if (Object.hasOwn(functions, name) && functions[name] !== value) refuse(name, from.get(name) ?? where, where)
    // A name is data: `__proto__` must be a name like any other.
    Object.defineProperty(functions, name, { value, enumerable: true, configurable: true, writable: true })
    from.set(name, where)
  } else if (isPlainObject(value) && !within.includes(value)) {
    for (const [key, inner] of entriesOf(value)) collect([`${name}.${key}`, inner], where, found, [...within, value])
  }
}

function refuse(name: string, first: string, second: string): never {
  const message =
    first === second
      ? `two different functions are called '${name}' in ${first}`
      : `two different functions are called '${name}': one in ${first}, one in ${second}`
  fail('STEPS_AMBIGUOUS', message, { hint: 'keep one of them, or give one another name' })
}

function entriesOf(source: object): readonly (readonly [string, unknown])[] {
  return Object.entries(source)
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}
