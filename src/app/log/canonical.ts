/**
 * RFC 8785 text of a plain JSON value, fast: the append path computes it for every event. Equal to `canonicalize` for
 * every value (a property test proves it); values that it cannot handle go to `canonicalize`.
 */
import canonicalize from 'canonicalize'
import { fail } from '../../core/problems/problem.ts'

/** Deeper values go to `canonicalize`, which does not recurse and finds cycles. */
const OWN_DEPTH = 200
const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

/** Throws SCHEMA_VALIDATION_FAILED for values without a JSON form: NaN, lone surrogates, cycles, undefined. */
export function canonicalText(value: unknown): string {
  let text: string | undefined
  try {
    text = write(value, 0)
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return fail('SCHEMA_VALIDATION_FAILED', `A value cannot be written as JSON: ${why}.`)
  }
  return text ?? fail('SCHEMA_VALIDATION_FAILED', 'A value cannot be written as JSON: it is undefined or a function.')
}

function write(value: unknown, depth: number): string | undefined {
  switch (typeof value) {
    case 'string':
      return writeString(value)
    case 'number':
      if (!Number.isFinite(value)) throw new Error(`${value} is not a JSON number`)
      return value === 0 ? '0' : `${value}`
    case 'boolean':
      return value ? 'true' : 'false'
    case 'object':
      if (value === null) return 'null'
      refuseContainers(value)
      if (depth >= OWN_DEPTH || 'toJSON' in value || isBoxed(value)) return canonicalize(value)
      return Array.isArray(value) ? writeList(value, depth) : writeObject(value, depth)
    case 'bigint':
      throw new Error('a BigInt has no JSON form')
    default:
      return undefined
  }
}

/** One string, quoted. */
export function writeString(value: string): string {
  if (PLAIN.test(value)) return `"${value}"`
  if (!value.isWellFormed()) throw new Error('a text holds half a character (lone surrogate)')
  return JSON.stringify(value)
}

function writeList(items: readonly unknown[], depth: number): string {
  if (items.length === 0) return '[]'
  let out = '['
  for (let i = 0; i < items.length; i++) {
    if (i > 0) out += ','
    out += write(items[i], depth + 1) ?? 'null'
  }
  return `${out}]`
}

function writeObject(value: object, depth: number): string {
  const fields = value as Readonly<Record<string, unknown>>
  const names = Object.keys(fields)
  if (!isSorted(names)) names.sort()
  let out = ''
  for (const name of names) {
    const text = write(fields[name], depth + 1)
    if (text === undefined) continue
    out += out === '' ? `{${writeString(name)}:${text}` : `,${writeString(name)}:${text}`
  }
  return out === '' ? '{}' : `${out}}`
}

/** RFC 8785 orders by UTF-16 code unit, which is what `<` and the default sort do. */
function isSorted(names: readonly string[]): boolean {
  for (let i = 1; i < names.length; i++) {
    if ((names[i - 1] ?? '') > (names[i] ?? '')) return false
  }
  return true
}

/**
 * Bytes belong into artifacts, and a value that JSON would silently empty is not written as if it were empty (STO-26).
 */
function refuseContainers(value: object): void {
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype === Object.prototype || prototype === Array.prototype || prototype === null) return
  if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer)
    throw new Error('bytes have no JSON form; keep them elsewhere and give an artifact reference')
  if (value instanceof Map || value instanceof Set) throw new Error('a Map or Set has no JSON form')
}

function isBoxed(value: object): boolean {
  return value instanceof Number || value instanceof String || value instanceof Boolean
}
